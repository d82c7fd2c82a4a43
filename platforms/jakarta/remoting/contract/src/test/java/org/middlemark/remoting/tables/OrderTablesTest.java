package org.middlemark.remoting.tables;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
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
