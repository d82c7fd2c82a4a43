package org.middlemark.remoting.tables;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.middlemark.refusals.Refusal;
import org.middlemark.remoting.domain.Address;
import org.middlemark.remoting.domain.Order;
import org.middlemark.remoting.domain.OrderLine;
import org.middlemark.remoting.domain.TableSet;
import org.middlemark.remoting.domain.TableSet.Column;
import org.middlemark.remoting.domain.TableSet.Table;
import org.middlemark.remoting.domain.Unreadable;
import org.middlemark.remoting.domain.WrittenValues;

/** An order as a table set: {@code orders} with one row, and {@code order_lines}. */
public final class OrderTables {
    private static final String ORDERS = "orders";
    private static final String LINES = "order_lines";
    private static final String STRING = "string";
    private static final String INT = "int";
    private static final String DOUBLE = "double";
    private static final List<String> ADDRESS = List.of("name", "street", "city", "region", "postal_code", "country");

    private OrderTables() {
    }

    /** The table set that a client sends. */
    public static TableSet tables(Order order) {
        List<Column> columns = Stream.of(
                Stream.of(new Column("customer_id", STRING), new Column("employee_id", INT),
                        new Column("order_date", "dateTime"), new Column("ship_via", INT),
                        new Column("freight", "decimal")),
                ADDRESS.stream().map(name -> new Column("ship_" + name, STRING)),
                ADDRESS.stream().map(name -> new Column("bill_" + name, STRING))).flatMap(all -> all).toList();
        List<String> row = Stream.of(
                Stream.of(order.customerId(), Integer.toString(order.employeeId()),
                        WrittenValues.text(order.orderDate()), Integer.toString(order.shipVia()),
                        WrittenValues.text(order.freight())),
                texts(order.shipping()), texts(order.billing())).flatMap(all -> all).toList();
        return new TableSet(List.of(new Table(ORDERS, columns, List.of(row)), lines(order.lines())));
    }

    private static Table lines(List<OrderLine> lines) {
        List<Column> columns = List.of(new Column("product_id", INT), new Column("unit_price", DOUBLE),
                new Column("quantity", INT), new Column("discount", DOUBLE));
        return new Table(LINES, columns, lines.stream().map(line -> List.of(Integer.toString(line.productId()),
                Double.toString(line.unitPrice()), Integer.toString(line.quantity()),
                Double.toString(line.discount()))).toList());
    }

    private static Stream<String> texts(Address address) {
        return Arrays.stream(new String[] {
            address.name(), address.street(), address.city(), address.region(), address.postalCode(),
            address.country(),
        });
    }

    /** The order that the service reads, by the names of the columns. */
    public static Order order(TableSet tables) {
        List<NamedRow> orders = NamedRows.of(tables, ORDERS);
        if (orders.size() != 1) {
            throw Refusal.invalid("The table orders has one row.");
        }
        NamedRow order = orders.get(0);
        List<OrderLine> lines = NamedRows.of(tables, LINES).stream().map(line -> new OrderLine(
                line.whole("product_id"), line.number("unit_price"), line.whole("quantity"), line.number("discount")))
                .toList();
        return Unreadable.request(() -> new Order(order.text("customer_id"), order.whole("employee_id"),
                WrittenValues.time("order_date", order.text("order_date").strip()), address(order, "ship_"),
                address(order, "bill_"), order.whole("ship_via"),
                WrittenValues.decimal("freight", order.text("freight").strip()), lines));
    }

    private static Address address(NamedRow order, String prefix) {
        return new Address(order.text(prefix + "name"), order.text(prefix + "street"), order.text(prefix + "city"),
                order.text(prefix + "region"), order.text(prefix + "postal_code"), order.text(prefix + "country"));
    }
}
