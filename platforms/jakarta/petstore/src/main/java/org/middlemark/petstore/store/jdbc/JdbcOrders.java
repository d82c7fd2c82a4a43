package org.middlemark.petstore.store.jdbc;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.middlemark.database.Failures;
import org.middlemark.database.Statements;
import org.middlemark.database.StoreFailure;
import org.middlemark.petstore.domain.Codes;
import org.middlemark.petstore.domain.Order;
import org.middlemark.petstore.domain.OrderLine;
import org.middlemark.petstore.store.Orders;

final class JdbcOrders implements Orders {
    private static final String COLUMNS = "order_key, user_id, order_date, card_type, card_number, card_expiration, "
            + Addresses.columns("billing_") + ", " + Addresses.columns("shipping_");
    private static final String WRITE = "INSERT INTO orders (total, " + COLUMNS + ") VALUES (?"
            + ", ?".repeat(COLUMNS.split(",").length) + ") RETURNING order_id";
    private static final String WRITE_LINE =
            "INSERT INTO order_lines (order_id, line_number, item_id, quantity, price) VALUES (?, ?, ?, ?, ?)";
    private static final String BY_ID = "SELECT order_id, " + COLUMNS + " FROM orders WHERE order_id = ?";
    private static final String BY_KEY = "SELECT order_id, " + COLUMNS + " FROM orders WHERE order_key = ?";
    private static final String LINES = """
            SELECT line_number, item_id, quantity, price FROM order_lines WHERE order_id = ? ORDER BY line_number""";

    private final Statements statements;

    JdbcOrders(Statements statements) {
        this.statements = statements;
    }

    @Override
    public long write(Order order) {
        long orderId = writeOrder(order);
        statements.changeTogether(WRITE_LINE,
                order.lines().stream().<List<Object>>map(line -> List.of(orderId, line.lineNumber(), line.itemId(),
                        line.quantity(), line.price())).toList());
        return orderId;
    }

    private long writeOrder(Order order) {
        List<Object> values = new ArrayList<>(List.of(order.total(), order.orderKey(), order.userId(),
                order.orderDate(), order.card().type(), order.card().number(), order.card().expiration()));
        values.addAll(Addresses.values(order.billing()));
        values.addAll(Addresses.values(order.shipping()));
        try {
            return statements.row(WRITE, row -> row.getLong(1), values.toArray()).orElseThrow();
        } catch (StoreFailure failure) {
            throw Failures.isDuplicate(failure) ? Codes.checkoutEnded() : failure;
        }
    }

    @Override
    public Optional<Order> find(long orderId) {
        return statements.row(BY_ID, JdbcOrders::order, orderId).map(this::withLines);
    }

    @Override
    public Optional<Order> find(UUID orderKey) {
        return statements.row(BY_KEY, JdbcOrders::order, orderKey).map(this::withLines);
    }

    private Order withLines(Order order) {
        return order.with(statements.rows(LINES, row -> new OrderLine(row.getInt("line_number"),
                row.getString("item_id"), row.getInt("quantity"), row.getBigDecimal("price")), order.orderId()));
    }

    private static Order order(ResultSet row) throws SQLException {
        return new Order(row.getLong("order_id"), row.getObject("order_key", UUID.class), row.getString("user_id"),
                Statements.instant(row, "order_date"), Addresses.card(row), Addresses.read(row, "billing_"),
                Addresses.read(row, "shipping_"), List.of());
    }
}
