package org.middlemark.brokerage.store.jdbc;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.middlemark.brokerage.domain.Order;
import org.middlemark.brokerage.domain.OrderStatus;
import org.middlemark.brokerage.domain.OrderType;
import org.middlemark.brokerage.domain.PlacedOrder;
import org.middlemark.brokerage.store.Orders;

final class JdbcOrders implements Orders {
    private static final String COLUMNS = """
            o.order_id, o.account_id, o.order_type, o.status, o.symbol, o.quantity, o.price, o.fee, o.open_time,
            o.completion_time, o.holding_id""";
    /** A user without orders is one row without order, an unknown user none; here and below. */
    private static final String NEWEST = "SELECT " + COLUMNS + """
             FROM accounts a LEFT JOIN orders o ON o.account_id = a.account_id
            WHERE a.user_id = ? ORDER BY o.order_id DESC LIMIT ?""";
    private static final String UNSEEN = """
            SELECT o.order_id FROM accounts a
                LEFT JOIN orders o ON o.account_id = a.account_id AND o.status = 'closed' AND NOT o.seen
            WHERE a.user_id = ?""";
    private static final String SEE =
            "UPDATE orders o SET seen = true WHERE o.order_id = ANY (?) AND NOT o.seen RETURNING " + COLUMNS;
    private static final String WRITE = """
            INSERT INTO orders (account_id, order_type, status, symbol, quantity, price, fee, open_time, completion_time,
                holding_id, seen)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, false) RETURNING order_id""";
    private static final String CLOSE = """
            UPDATE orders SET status = 'closed', completion_time = ?, holding_id = ? WHERE order_id = ? AND status = 'open'""";
    private static final String ENQUEUE = "INSERT INTO order_messages (order_id, placed_at) VALUES (?, ?)";
    private static final String TAKE = "SELECT " + COLUMNS + """
             FROM order_messages m JOIN orders o ON o.order_id = m.order_id
            WHERE m.order_id <> ALL (?) ORDER BY m.message_id LIMIT ? FOR UPDATE OF m SKIP LOCKED""";
    private static final String WAITING = """
            SELECT m.order_id FROM order_messages m WHERE m.order_id <> ALL (?) ORDER BY m.message_id LIMIT ?
            FOR UPDATE SKIP LOCKED""";
    private static final String READ = "SELECT " + COLUMNS + " FROM orders o WHERE o.order_id = ?";
    private static final String DEQUEUE = "DELETE FROM order_messages WHERE order_id = ?";

    private final Statements statements;

    JdbcOrders(Statements statements) {
        this.statements = statements;
    }

    @Override
    public Optional<List<Order>> newest(String userId, int limit) {
        return ofUser(statements.rows(NEWEST, JdbcOrders::placed, userId, limit));
    }

    @Override
    public Optional<List<Long>> unseen(String userId) {
        List<Optional<Long>> rows =
                statements.rows(UNSEEN, row -> Optional.ofNullable(row.getObject("order_id", Long.class)), userId);
        return rows.isEmpty() ? Optional.empty() : Optional.of(rows.stream().flatMap(Optional::stream).toList());
    }

    @Override
    public List<Order> see(Collection<Long> orderIds) {
        return statements.rows(SEE, JdbcOrders::placed, orderIds).stream().flatMap(Optional::stream).map(PlacedOrder::order)
                .sorted(Comparator.comparing(Order::orderId)).toList();
    }

    @Override
    public long write(PlacedOrder placed) {
        Order order = placed.order();
        return statements.row(WRITE, row -> row.getLong(1), placed.accountId(), order.type().word(), order.status().word(),
                order.symbol(), order.quantity(), order.price(), order.fee(), order.openTime(), order.completionTime(),
                order.holdingId()).orElseThrow();
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
        return statements.rows(TAKE, JdbcOrders::placed, exceptOrderIds, most).stream().flatMap(Optional::stream).toList();
    }

    @Override
    public List<Long> waiting(int most, Collection<Long> exceptOrderIds) {
        return statements.rows(WAITING, row -> row.getLong(1), exceptOrderIds, most);
    }

    @Override
    public PlacedOrder read(long orderId) {
        return statements.row(READ, JdbcOrders::placed, orderId).orElseThrow().orElseThrow();
    }

    @Override
    public void dequeue(long orderId) {
        statements.change(DEQUEUE, orderId);
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
        Order order = new Order(orderId, OrderType.of(row.getString("order_type")), OrderStatus.of(row.getString("status")),
                row.getString("symbol"), row.getLong("quantity"), row.getBigDecimal("price"), row.getBigDecimal("fee"),
                Statements.instant(row, "open_time"), Statements.instant(row, "completion_time"),
                row.getObject("holding_id", Long.class));
        return Optional.of(new PlacedOrder(row.getLong("account_id"), order));
    }
}
