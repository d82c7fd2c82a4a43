package org.middlemark.brokerage.store.jpa;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.middlemark.brokerage.domain.Order;
import org.middlemark.brokerage.domain.OrderMessage;
import org.middlemark.brokerage.domain.PlacedOrder;
import org.middlemark.brokerage.store.Orders;

final class JpaOrders implements Orders {
    /** Not joined, so that the index on account and order is read backwards, and only as far as the limit. */
    private static final String NEWEST = """
            SELECT o FROM OrderRow o WHERE o.accountId = (SELECT a.accountId FROM AccountRow a WHERE a.userId = :userId)
            ORDER BY o.openTime DESC, o.orderId DESC""";
    private static final String USERS = "SELECT COUNT(a) FROM AccountRow a WHERE a.userId = :userId";
    /** Looked for account by account: a join may read the unseen orders of everybody. */
    private static final String HAS_UNSEEN = """
            SELECT CASE WHEN EXISTS (SELECT o.orderId FROM OrderRow o
                WHERE o.accountId = a.accountId AND o.status = 'closed' AND o.seen = false) THEN 1 ELSE 0 END
            FROM AccountRow a WHERE a.userId = :userId""";
    private static final String UNSEEN = """
            SELECT o FROM OrderRow o WHERE o.accountId = (SELECT a.accountId FROM AccountRow a WHERE a.userId = :userId)
            AND o.status = 'closed' AND o.seen = false ORDER BY o.openTime, o.orderId""";
    private static final String SEE = "UPDATE OrderRow o SET o.seen = true WHERE o.orderId IN :ids";
    private static final String BY_ID = "SELECT o FROM OrderRow o WHERE o.orderId IN :ids";
    /** The persistence interface knows no SKIP LOCKED: here the database's own SQL is needed. */
    private static final String TAKE = """
            SELECT * FROM order_messages WHERE message_id <> ALL ('{%s}') ORDER BY message_id LIMIT %d
            FOR UPDATE SKIP LOCKED""";
    private static final String TAKE_ONE =
            "SELECT * FROM order_messages WHERE message_id = %d FOR UPDATE SKIP LOCKED";
    private static final String BIND = "eclipselink.jdbc.bind-parameters";

    private final BrokerageEntities entities;

    JpaOrders(BrokerageEntities entities) {
        this.entities = entities;
    }

    @Override
    public Optional<List<Order>> newest(String userId, int limit) {
        List<OrderRow> rows = entities.list(NEWEST, OrderRow.class, Map.of("userId", userId), 0, limit);
        boolean isUnknown = rows.isEmpty() && entities.list(USERS, Long.class, Map.of("userId", userId)).get(0) == 0;
        return isUnknown ? Optional.empty() : Optional.of(rows.stream().map(OrderRow::order).toList());
    }

    @Override
    public Optional<Boolean> hasUnseen(String userId) {
        return entities.list(HAS_UNSEEN, Number.class, Map.of("userId", userId)).stream().findFirst()
                .map(one -> one.intValue() == 1);
    }

    @Override
    public List<Order> see(String userId) {
        return entities.inTransaction(() -> {
            List<OrderRow> unseen = entities.lock(UNSEEN, OrderRow.class, Map.of("userId", userId));
            if (!unseen.isEmpty()) {
                entities.change(SEE, Map.of("ids", unseen.stream().map(OrderRow::orderId).toList()));
            }
            return unseen.stream().map(OrderRow::order).toList();
        });
    }

    @Override
    public long write(PlacedOrder placed) {
        AccountRow account = entities.reference(AccountRow.class, placed.accountId());
        return entities.write(new OrderRow(account, placed.order())).orderId();
    }

    @Override
    public boolean close(Order closed) {
        Optional<OrderRow> open = entities.find(OrderRow.class, closed.orderId()).filter(OrderRow::isOpen);
        open.ifPresent(row -> row.close(closed));
        return open.isPresent();
    }

    @Override
    public void enqueue(Order placed) {
        entities.write(new MessageRow(placed));
    }

    @Override
    public List<OrderMessage> take(int most, Collection<Long> exceptMessageIds) {
        String except = exceptMessageIds.stream().map(String::valueOf).collect(Collectors.joining(","));
        return taken(TAKE.formatted(except, most));
    }

    @Override
    public boolean take(OrderMessage message) {
        return !taken(TAKE_ONE.formatted(message.messageId())).isEmpty();
    }

    /**
     * Planned anew each time: a plan made while the queue was empty reads and sorts all of it, and stays when thousands
     * wait. So it is no prepared statement; what is put into it are numbers.
     */
    private List<OrderMessage> taken(String sql) {
        return entities.ask(manager -> {
            List<?> found = manager.createNativeQuery(sql, MessageRow.class).setHint(BIND, "false").getResultList();
            return found.stream().map(row -> ((MessageRow) row).message()).toList();
        });
    }

    @Override
    public Map<Long, PlacedOrder> read(Collection<Long> orderIds) {
        return entities.list(BY_ID, OrderRow.class, Map.of("ids", orderIds)).stream()
                .collect(Collectors.toMap(OrderRow::orderId, OrderRow::placed));
    }

    /** The row is in the persistence context since it was taken. */
    @Override
    public void dequeue(OrderMessage message) {
        entities.remove(entities.find(MessageRow.class, message.messageId()).orElseThrow());
    }
}
