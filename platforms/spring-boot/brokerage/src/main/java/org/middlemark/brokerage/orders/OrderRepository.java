package org.middlemark.brokerage.orders;

import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.middlemark.brokerage.database.Times;
import org.middlemark.brokerage.settings.WithDatabase;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** The rows of {@code orders}. */
@Repository
@WithDatabase
class OrderRepository {

    private static final String COLUMNS = """
            orders.order_id, orders.order_type, orders.status, orders.symbol, orders.quantity, orders.price, orders.fee,
            orders.open_time, orders.completion_time, orders.holding_id""";

    private static final Comparator<Order> OLDEST_FIRST = Comparator.comparing(Order::openTime).thenComparing(Order::orderId);

    private final JdbcClient database;

    OrderRepository(JdbcClient database) {
        this.database = database;
    }

    /** The newest orders first. */
    List<Order> findLast(String userId, long limit) {
        return database.sql("SELECT " + COLUMNS + " FROM orders " + """
                WHERE account_id = (SELECT account_id FROM accounts WHERE user_id = :userId)
                ORDER BY open_time DESC, order_id DESC LIMIT :limit""")
                .param("userId", userId)
                .param("limit", limit)
                .query(OrderRepository::order)
                .list();
    }

    /**
     * Whether orders are completed and not yet seen; nothing without such a user. They are looked for account by account: a join may read
     * the unseen orders of everybody.
     */
    Optional<Boolean> hasUnseen(String userId) {
        return database.sql("""
                SELECT EXISTS (SELECT FROM orders WHERE orders.account_id = accounts.account_id AND status = 'closed' AND NOT seen)
                FROM accounts WHERE user_id = :userId""")
                .param("userId", userId)
                .query(Boolean.class)
                .optional();
    }

    /**
     * Marks the orders that are completed and not yet seen, and returns them, the oldest first. A second look at the same time waits for
     * the rows, finds them seen and leaves them out.
     */
    List<Order> see(String userId) {
        return database.sql("""
                UPDATE orders SET seen = true
                WHERE account_id = (SELECT account_id FROM accounts WHERE user_id = :userId) AND status = 'closed' AND NOT seen
                RETURNING\s""" + COLUMNS)
                .param("userId", userId)
                .query(OrderRepository::order)
                .list().stream().sorted(OLDEST_FIRST).toList();
    }

    /** Inserts an order that is completed already, and returns its id; the one it brings along is not used. */
    long insertClosed(long accountId, Order order) {
        return database.sql("""
                INSERT INTO orders (account_id, order_type, status, symbol, quantity, price, fee, open_time, completion_time,
                    holding_id, seen)
                VALUES (:accountId, :type, 'closed', :symbol, :quantity, :price, :fee, :openTime, :completionTime,
                    :holdingId, false)
                RETURNING order_id""")
                .param("accountId", accountId)
                .param("type", order.type().word())
                .param("symbol", order.symbol())
                .param("quantity", order.quantity())
                .param("price", order.price())
                .param("fee", order.fee())
                .param("openTime", Times.parameter(order.openTime()))
                .param("completionTime", Times.parameter(order.completionTime()))
                .param("holdingId", order.holdingId())
                .query(Long.class)
                .single();
    }

    private static Order order(ResultSet row, int number) throws SQLException {
        OrderType type = OrderType.of(row.getString("order_type"));
        long quantity = row.getLong("quantity");
        BigDecimal price = row.getBigDecimal("price");
        BigDecimal fee = row.getBigDecimal("fee");
        return new Order(row.getLong("order_id"), type, OrderStatus.of(row.getString("status")), row.getString("symbol"), quantity, price,
                fee, type.total(quantity, price, fee), Times.column(row, "open_time"), Times.column(row, "completion_time"),
                row.getObject("holding_id", Long.class));
    }
}
