package org.middlemark.brokerage.store.jdbc;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.middlemark.brokerage.domain.Order;
import org.middlemark.brokerage.domain.OrderMessage;
import org.middlemark.brokerage.domain.OrderStatus;
import org.middlemark.brokerage.domain.OrderType;
import org.middlemark.brokerage.domain.PlacedOrder;
import org.middlemark.brokerage.store.Orders;
import org.middlemark.database.Statements;

final class JdbcOrders implements Orders {
    private static final String COLUMNS = """
            o.order_id, o.account_id, o.order_type, o.status, o.symbol, o.quantity, o.price, o.fee, o.open_time,
            o.completion_time, o.holding_id""";
    /** The account's id by a subquery: so its index is read backwards, and only as far as the limit. */
    private static final String NEWEST = "SELECT " + COLUMNS + """
             FROM orders o WHERE o.account_id = (SELECT account_id FROM accounts WHERE user_id = ?)
            ORDER BY o.open_time DESC, o.order_id DESC LIMIT ?""";
    private static final String EXISTS = "SELECT 1 FROM accounts WHERE user_id = ?";
    /** Looked for account by account: a join may read the unseen orders of everybody. */
    private static final String HAS_UNSEEN = """
            SELECT EXISTS (
                SELECT FROM orders o WHERE o.account_id = a.account_id AND o.status = 'closed' AND NOT o.seen)
            FROM accounts a WHERE a.user_id = ?""";
    /** A second look at once waits for the rows, finds them seen and leaves them out. */
    private static final String SEE = """
            UPDATE orders o SET seen = true WHERE o.account_id = (SELECT account_id FROM accounts WHERE user_id = ?)
            AND o.status = 'closed' AND NOT o.seen RETURNING\s""" + COLUMNS;
    private static final Comparator<Order> OLDEST_FIRST =
            Comparator.comparing(Order::openTime).thenComparing(Order::orderId);
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
     * it, and stays when thousands wait. So this is no prepared statement; what is put into it are numbers.
     */
    private static final String TAKE = """
            SELECT message_id, order_id FROM order_messages WHERE message_id <> ALL ('{%s}')
            ORDER BY message_id LIMIT %d FOR UPDATE SKIP LOCKED""";
    private static final String TAKE_ONE =
            "SELECT message_id FROM order_messages WHERE message_id = ? FOR UPDATE SKIP LOCKED";
    private static final String READ = "SELECT " + COLUMNS + " FROM orders o WHERE o.order_id = ANY (?)";
    private static final String DEQUEUE = "DELETE FROM order_messages WHERE message_id = ?";

    private final Statements statements;

    JdbcOrders(Statements statements) {
        this.statements = statements;
    }

    @Override
    public Optional<List<Order>> newest(String userId, int limit) {
        List<Order> newest = statements.rows(NEWEST, JdbcOrders::order, userId, limit);
        boolean isUnknown = newest.isEmpty() && statements.row(EXISTS, row -> row.getInt(1), userId).isEmpty();
        return isUnknown ? Optional.empty() : Optional.of(newest);
    }

    @Override
    public Optional<Boolean> hasUnseen(String userId) {
        return statements.row(HAS_UNSEEN, row -> row.getBoolean(1), userId);
    }

    @Override
    public List<Order> see(String userId) {
        return statements.rows(SEE, JdbcOrders::order, userId).stream().sorted(OLDEST_FIRST).toList();
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
    public List<OrderMessage> take(int most, Collection<Long> exceptMessageIds) {
        String except = exceptMessageIds.stream().map(String::valueOf).collect(Collectors.joining(","));
        return statements.rowsPlannedAnew(TAKE.formatted(except, most),
                row -> new OrderMessage(row.getLong("message_id"), row.getLong("order_id")));
    }

    @Override
    public boolean take(OrderMessage message) {
        return statements.row(TAKE_ONE, row -> row.getLong("message_id"), message.messageId()).isPresent();
    }

    @Override
    public Map<Long, PlacedOrder> read(Collection<Long> orderIds) {
        return statements.rows(READ, row -> new PlacedOrder(row.getLong("account_id"), order(row)), orderIds).stream()
                .collect(Collectors.toMap(placed -> placed.order().orderId(), Function.identity()));
    }

    @Override
    public void dequeue(OrderMessage message) {
        statements.change(DEQUEUE, message.messageId());
    }

    private static Order order(ResultSet row) throws SQLException {
        return new Order(row.getLong("order_id"), OrderType.of(row.getString("order_type")),
                OrderStatus.of(row.getString("status")), row.getString("symbol"), row.getLong("quantity"),
                row.getBigDecimal("price"), row.getBigDecimal("fee"), Statements.instant(row, "open_time"),
                Statements.instant(row, "completion_time"), row.getObject("holding_id", Long.class));
    }
}
