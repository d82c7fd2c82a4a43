package org.middlemark.brokerage.store.jpa;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.middlemark.brokerage.domain.Order;
import org.middlemark.brokerage.domain.PlacedOrder;
import org.middlemark.brokerage.store.Orders;

final class JpaOrders implements Orders {
    /** Not joined, so that the index on account and order is read backwards, and only as far as the limit. */
    private static final String NEWEST = """
            SELECT o FROM OrderRow o WHERE o.accountId = (SELECT a.accountId FROM AccountRow a WHERE a.userId = :userId)
            ORDER BY o.orderId DESC""";
    private static final String USERS = "SELECT COUNT(a) FROM AccountRow a WHERE a.userId = :userId";
    /** A user without such orders is one row without order, an unknown user none. */
    private static final String UNSEEN = """
            SELECT o.orderId FROM AccountRow a LEFT JOIN a.orders o ON o.status = 'closed' AND o.seen = false
            WHERE a.userId = :userId""";
    private static final String STILL_UNSEEN =
            "SELECT o FROM OrderRow o WHERE o.orderId IN :ids AND o.seen = false ORDER BY o.orderId";
    private static final String SEE = "UPDATE OrderRow o SET o.seen = true WHERE o.orderId IN :ids";
    private static final String BY_ID = "SELECT o FROM OrderRow o WHERE o.orderId IN :ids";
    /** The persistence interface knows no SKIP LOCKED: here the database's own SQL is needed. */
    private static final String WAITING = """
            SELECT m.order_id FROM order_messages m WHERE m.order_id <> ALL ('{%s}') ORDER BY m.message_id LIMIT %d
            FOR UPDATE SKIP LOCKED""";
    private static final String BIND = "eclipselink.jdbc.bind-parameters";
    private static final String DEQUEUE = "DELETE FROM MessageRow m WHERE m.orderId = :orderId";

    private final Entities entities;

    JpaOrders(Entities entities) {
        this.entities = entities;
    }

    @Override
    public Optional<List<Order>> newest(String userId, int limit) {
        List<OrderRow> rows = entities.list(NEWEST, OrderRow.class, Map.of("userId", userId), limit);
        boolean isUnknown = rows.isEmpty() && entities.list(USERS, Long.class, Map.of("userId", userId)).get(0) == 0;
        return isUnknown ? Optional.empty() : Optional.of(rows.stream().map(OrderRow::order).toList());
    }

    /** Most looks find nothing: they cost one statement and no transaction. */
    @Override
    public Optional<List<Order>> see(String userId) {
        List<Long> rows = entities.list(UNSEEN, Long.class, Map.of("userId", userId));
        List<Long> unseen = rows.stream().filter(Objects::nonNull).toList();
        if (unseen.isEmpty()) {
            return rows.isEmpty() ? Optional.empty() : Optional.of(List.of());
        }
        return Optional.of(entities.inTransaction(() -> see(unseen)));
    }

    private List<Order> see(List<Long> orderIds) {
        List<OrderRow> unseen = entities.lock(STILL_UNSEEN, OrderRow.class, Map.of("ids", orderIds));
        if (!unseen.isEmpty()) {
            entities.change(SEE, Map.of("ids", unseen.stream().map(OrderRow::orderId).toList()));
        }
        return unseen.stream().map(OrderRow::order).toList();
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
    public List<PlacedOrder> take(int most, Collection<Long> exceptOrderIds) {
        List<Long> taken = waiting(most, exceptOrderIds);
        if (taken.isEmpty()) {
            return List.of();
        }
        Map<Long, PlacedOrder> orders = entities.list(BY_ID, OrderRow.class, Map.of("ids", taken)).stream()
                .collect(Collectors.toMap(OrderRow::orderId, OrderRow::placed));
        return taken.stream().map(orders::get).toList();
    }

    /**
     * Planned anew each time: a plan made while the queue was empty reads and sorts all of it, and stays when thousands
     * wait. So it is no prepared statement; what is put into it are numbers.
     */
    @Override
    public List<Long> waiting(int most, Collection<Long> exceptOrderIds) {
        String except = exceptOrderIds.stream().map(String::valueOf).collect(Collectors.joining(","));
        return entities.ask(manager -> {
            List<?> found = manager.createNativeQuery(WAITING.formatted(except, most)).setHint(BIND, "false")
                    .getResultList();
            return found.stream().map(orderId -> ((Number) orderId).longValue()).toList();
        });
    }

    @Override
    public PlacedOrder read(long orderId) {
        return entities.find(OrderRow.class, orderId).orElseThrow().placed();
    }

    @Override
    public void dequeue(long orderId) {
        entities.ask(manager -> manager.createQuery(DEQUEUE).setParameter("orderId", orderId).executeUpdate());
    }
}
