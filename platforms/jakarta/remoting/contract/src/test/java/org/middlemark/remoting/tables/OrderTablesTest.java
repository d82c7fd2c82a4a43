package org.middlemark.remoting.tables;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.middlemark.refusals.Code;
import org.middlemark.refusals.Refusal;
import org.middlemark.remoting.domain.Samples;
import org.middlemark.remoting.domain.TableSet;
import org.middlemark.remoting.domain.TableSet.Column;
import org.middlemark.remoting.domain.TableSet.Table;

class OrderTablesTest {
    private static final TableSet TABLES = OrderTables.tables(Samples.ORDER);
    private static final Table ORDERS = TABLES.tables().get(0);
    private static final Table LINES = TABLES.tables().get(1);

    private static <T> List<T> reversed(List<T> list) {
        List<T> copy = new ArrayList<>(list);
        Collections.reverse(copy);
        return copy;
    }

    private static void assertRefused(Table orders, Table lines) {
        Refusal refusal = assertThrows(Refusal.class,
                () -> OrderTables.order(new TableSet(List.of(orders, lines))));
        assertEquals(Code.INVALID_INPUT, refusal.code());
    }

    @Test
    void anOrderArrivesAsItWas() {
        assertEquals(17, ORDERS.columns().size());
        assertEquals(Samples.ORDER, OrderTables.order(TABLES));
    }

    @Test
    void columnsAndTablesHaveAnyOrderAndTheirTypesAreIgnored() {
        Table orders = new Table("orders", reversed(ORDERS.columns()).stream()
                .map(column -> new Column(column.name(), "string")).toList(),
                List.of(reversed(ORDERS.rows().get(0))));
        assertEquals(Samples.ORDER, OrderTables.order(new TableSet(List.of(LINES, orders))));
    }

    @Test
    void aColumnTooManyIsIgnored() {
        List<Column> columns = new ArrayList<>(ORDERS.columns());
        columns.add(0, new Column("more", "int"));
        List<String> row = new ArrayList<>(ORDERS.rows().get(0));
        row.add(0, null);
        Table orders = new Table("orders", columns, List.of(row));
        assertEquals(Samples.ORDER, OrderTables.order(new TableSet(List.of(orders, LINES))));
    }

    @Test
    void everyColumnIsNeeded() {
        for (int i = 0; i < ORDERS.columns().size(); i++) {
            List<Column> columns = new ArrayList<>(ORDERS.columns());
            columns.remove(i);
            List<String> row = new ArrayList<>(ORDERS.rows().get(0));
            row.remove(i);
            assertRefused(new Table("orders", columns, List.of(row)), LINES);
        }
    }

    @Test
    void everyValueIsNeeded() {
        for (int i = 0; i < ORDERS.columns().size(); i++) {
            List<String> row = new ArrayList<>(ORDERS.rows().get(0));
            row.set(i, null);
            assertRefused(new Table("orders", ORDERS.columns(), List.of(row)), LINES);
        }
    }

    private static Table linesWith(int column, String value) {
        List<String> row = new ArrayList<>(LINES.rows().get(0));
        row.set(column, value);
        return new Table("order_lines", LINES.columns(), List.of(row));
    }

    @ParameterizedTest
    @CsvSource({"0, 1.5", "0, 0x10", "0, 9999999999", "0, \u0663", "0, ''", "1, 1d", "1, 0x1p3", "1, Infinity",
        "1, NaN"})
    void aTextOfAnotherTypeIsRefused(int column, String value) {
        assertRefused(ORDERS, linesWith(column, value));
    }

    @Test
    void numbersAreThoseOfXmlSchema() {
        assertEquals(1250, OrderTables.order(new TableSet(List.of(ORDERS, linesWith(1, " +1.25E3 ")))).lines().get(0)
                .unitPrice());
        assertEquals(3, OrderTables.order(new TableSet(List.of(ORDERS, linesWith(0, " +03 ")))).lines().get(0)
                .productId());
    }

    @Test
    void thereIsOneRowOfTheOrder() {
        assertRefused(new Table("orders", ORDERS.columns(), List.of()), LINES);
        List<String> row = ORDERS.rows().get(0);
        assertRefused(new Table("orders", ORDERS.columns(), List.of(row, row)), LINES);
    }

    @Test
    void aMissingTableIsNamed() {
        Refusal refusal = assertThrows(Refusal.class, () -> OrderTables.order(TableSet.of(ORDERS)));
        assertTrue(refusal.getMessage().contains("order_lines"), refusal.getMessage());
    }
}
