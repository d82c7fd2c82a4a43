package org.middlemark.brokerage.store.jpa;

import jakarta.persistence.Query;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.middlemark.brokerage.domain.Order;
import org.middlemark.brokerage.domain.PlacedOrder;
import org.middlemark.brokerage.store.Orders;

final class JpaOrders implements Orders {
    /** A user without orders is one row without order, an unknown user none; here and below. */
    private static final String NEWEST = """
            SELECT o FROM AccountRow a LEFT JOIN a.orders o WHERE a.userId = :userId ORDER BY o.orderId DESC""";
    private static final String UNSEEN = """
            SELECT o.orderId FROM AccountRow a LEFT JOIN a.orders o ON o.status = 'closed' AND o.seen = false
            WHERE a.userId = :userId""";
    private static final String STILL_UNSEEN =
            "SELECT o FROM OrderRow o WHERE o.orderId IN :ids AND o.seen = false ORDER BY o.orderId";
    private static final String BY_ID = "SELECT o FROM OrderRow o WHERE o.orderId IN :ids";
    private static final String MESSAGES = "SELECT m.order_id FROM order_messages m";
    private static final String DEQUEUE = "DELETE FROM MessageRow m WHERE m.orderId = :orderId";

    private final Entities entities;

    JpaOrders(Entities entities) {
        this.entities = entities;
    }

    @Override
    public Optional<List<Order>> newest(String userId, int limit) {
        List<OrderRow> rows = entities.list(NEWEST, OrderRow.class, Map.of("userId", userId), limit);
        return rows.isEmpty() ? Optional.empty()
                : Optional.of(rows.stream().filter(Objects::nonNull).map(OrderRow::order).toList());
    }

    @Override
    public Optional<List<Long>> unseen(String userId) {
        List<Long> rows = entities.list(UNSEEN, Long.class, Map.of("userId", userId));
        return rows.isEmpty() ? Optional.empty() : Optional.of(rows.stream().filter(Objects::nonNull).toList());
    }

    @Override
    public List<Order> see(Collection<Long> orderIds) {
        List<OrderRow> locked = entities.lock(STILL_UNSEEN, OrderRow.class, Map.of("ids", orderIds));
        locked.forEach(OrderRow::markSeen);
        return locked.stream().map(OrderRow::order).toList();
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

    /** The persistence interface knows no SKIP LOCKED: here the database's own SQL is needed. */
    @Override
    public List<Long> waiting(int most, Collection<Long> exceptOrderIds) {
        List<Long> except = List.copyOf(exceptOrderIds);
        String places = IntStream.rangeClosed(1, except.size()).mapToObj(place -> "?" + place).collect(Collectors.joining(", "));
        String where = except.isEmpty() ? "" : " WHERE m.order_id NOT IN (" + places + ")";
        String end = " ORDER BY m.message_id LIMIT " + most + " FOR UPDATE SKIP LOCKED";
        return entities.ask(manager -> {
            Query query = manager.createNativeQuery(MESSAGES + where + end);
            IntStream.rangeClosed(1, except.size()).forEach(place -> query.setParameter(place, except.get(place - 1)));
            List<?> found = query.getResultList();
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
