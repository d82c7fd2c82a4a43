package org.middlemark.brokerage.store.jdbc;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.middlemark.brokerage.domain.Order;
import org.middlemark.brokerage.domain.OrderStatus;
import org.middlemark.brokerage.domain.OrderType;
import org.middlemark.brokerage.domain.PlacedOrder;
import org.middlemark.brokerage.store.Orders;

final class JdbcOrders implements Orders {
    private static final String COLUMNS = """
            o.order_id, o.account_id, o.order_type, o.status, o.symbol, o.quantity, o.price, o.fee, o.open_time,
            o.completion_time, o.holding_id""";
    /**
     * A user without orders is one row without order, an unknown user none; here and below. The orders are found for
     * the account and not joined, so that its index is read backwards, and only as far as the limit.
     */
    private static final String NEWEST = "SELECT " + COLUMNS + """
             FROM accounts a LEFT JOIN LATERAL (
                SELECT * FROM orders WHERE orders.account_id = a.account_id ORDER BY order_id DESC LIMIT ?) o ON true
            WHERE a.user_id = ? ORDER BY o.order_id DESC""";
    /** The rows are locked before they are marked: a second look at once waits, finds them seen and leaves them out. */
    private static final String SEE = """
            WITH due AS (
                SELECT order_id FROM orders
                WHERE account_id = (SELECT account_id FROM accounts WHERE user_id = ?)
                AND status = 'closed' AND NOT seen ORDER BY order_id FOR NO KEY UPDATE),
            o AS (UPDATE orders SET seen = true FROM due WHERE orders.order_id = due.order_id RETURNING orders.*)
            SELECT\s""" + COLUMNS
            + " FROM accounts a LEFT JOIN o ON o.account_id = a.account_id WHERE a.user_id = ? ORDER BY o.order_id";
    private static final String WRITE = """
            INSERT INTO orders (account_id, order_type, status, symbol, quantity, price, fee, open_time,
                completion_time, holding_id, seen)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, false) RETURNING order_id""";
    private static final String CLOSE = """
            UPDATE orders SET status = 'closed', completion_time = ?, holding_id = ?
            WHERE order_id = ? AND status = 'open'""";
    private static final String ENQUEUE = "INSERT INTO order_messages (order_id, placed_at) VALUES (?, ?)";
    /**
     * Looking into the queue is planned anew each time: a plan made while the queue was empty reads and sorts all of
     * it, and stays when thousands wait. So these are no prepared statements; what is put into them are numbers.
     */
    private static final String TAKE = "SELECT " + COLUMNS + """
             FROM order_messages m JOIN orders o ON o.order_id = m.order_id
            WHERE m.order_id <> ALL ('{%s}') ORDER BY m.message_id LIMIT %d FOR UPDATE OF m SKIP LOCKED""";
    private static final String WAITING = """
            SELECT m.order_id FROM order_messages m WHERE m.order_id <> ALL ('{%s}') ORDER BY m.message_id LIMIT %d
            FOR UPDATE SKIP LOCKED""";
    private static final String READ = "SELECT " + COLUMNS + " FROM orders o WHERE o.order_id = ?";
    private static final String DEQUEUE = "DELETE FROM order_messages WHERE order_id = ?";

    private final Statements statements;

    JdbcOrders(Statements statements) {
        this.statements = statements;
    }

    @Override
    public Optional<List<Order>> newest(String userId, int limit) {
        return ofUser(statements.rows(NEWEST, JdbcOrders::placed, limit, userId));
    }

    @Override
    public Optional<List<Order>> see(String userId) {
        return ofUser(statements.rows(SEE, JdbcOrders::placed, userId, userId));
    }

    @Override
    public long write(PlacedOrder placed) {
        Order order = placed.order();
        return statements.row(WRITE, row -> row.getLong(1), placed.accountId(), order.type().word(),
                order.status().word(), order.symbol(), order.quantity(), order.price(), order.fee(),
                order.openTime(), order.completionTime(), order.holdingId()).orElseThrow();
    }

    @Override
    public boolean close(Order closed) {
        return statements.change(CLOSE, closed.completionTime(), closed.holdingId(), closed.orderId()) == 1;
    }

    @Override
    public void enqueue(Order placed) {
        statements.change(ENQUEUE, placed.orderId(), placed.openTime());
    }

    @Override
    public List<PlacedOrder> take(int most, Collection<Long> exceptOrderIds) {
        return statements.rowsPlannedAnew(look(TAKE, most, exceptOrderIds), JdbcOrders::placed).stream()
                .flatMap(Optional::stream).toList();
    }

    @Override
    public List<Long> waiting(int most, Collection<Long> exceptOrderIds) {
        return statements.rowsPlannedAnew(look(WAITING, most, exceptOrderIds), row -> row.getLong(1));
    }

    @Override
    public PlacedOrder read(long orderId) {
        return statements.row(READ, JdbcOrders::placed, orderId).orElseThrow().orElseThrow();
    }

    @Override
    public void dequeue(long orderId) {
        statements.change(DEQUEUE, orderId);
    }

    private static String look(String sql, int most, Collection<Long> exceptOrderIds) {
        return sql.formatted(exceptOrderIds.stream().map(String::valueOf).collect(Collectors.joining(",")), most);
    }

    private static Optional<List<Order>> ofUser(List<Optional<PlacedOrder>> rows) {
        return rows.isEmpty() ? Optional.empty()
                : Optional.of(rows.stream().flatMap(Optional::stream).map(PlacedOrder::order).toList());
    }

    private static Optional<PlacedOrder> placed(ResultSet row) throws SQLException {
        Long orderId = row.getObject("order_id", Long.class);
        if (orderId == null) {
            return Optional.empty();
        }
        Order order = new Order(orderId, OrderType.of(row.getString("order_type")),
                OrderStatus.of(row.getString("status")), row.getString("symbol"), row.getLong("quantity"),
                row.getBigDecimal("price"), row.getBigDecimal("fee"), Statements.instant(row, "open_time"),
                Statements.instant(row, "completion_time"), row.getObject("holding_id", Long.class));
        return Optional.of(new PlacedOrder(row.getLong("account_id"), order));
    }
}
