package org.middlemark.petstore.store.jpa;

import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.middlemark.database.Entities;
import org.middlemark.database.Failures;
import org.middlemark.database.StoreFailure;
import org.middlemark.petstore.domain.Codes;
import org.middlemark.petstore.domain.Order;
import org.middlemark.petstore.store.Orders;

final class JpaOrders implements Orders {
    private static final String BY_KEY = "SELECT o FROM OrderRow o WHERE o.orderKey = :orderKey";
    private static final String LINES = "SELECT l FROM LineRow l WHERE l.orderId = :orderId ORDER BY l.lineNumber";

    private final Entities entities;

    JpaOrders(Entities entities) {
        this.entities = entities;
    }

    @Override
    public long write(Order order) {
        long orderId = written(new OrderRow(order)).orderId();
        entities.writeTogether(order.lines().stream().map(line -> new LineRow(orderId, line)).toList());
        return orderId;
    }

    private OrderRow written(OrderRow row) {
        try {
            return entities.write(row);
        } catch (StoreFailure failure) {
            throw Failures.isDuplicate(failure) ? Codes.checkoutEnded() : failure;
        }
    }

    @Override
    public Optional<Order> find(long orderId) {
        return entities.find(OrderRow.class, orderId).map(this::withLines);
    }

    @Override
    public Optional<Order> find(UUID orderKey) {
        return entities.list(BY_KEY, OrderRow.class, Map.of("orderKey", orderKey)).stream().findFirst()
                .map(this::withLines);
    }

    private Order withLines(OrderRow row) {
        return row.order(entities.list(LINES, LineRow.class, Map.of("orderId", row.orderId())).stream()
                .map(LineRow::line).toList());
    }
}
