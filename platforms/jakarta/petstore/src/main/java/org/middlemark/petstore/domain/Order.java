package org.middlemark.petstore.domain;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.middlemark.values.Money;

/** An order; its lines are by item id. An id of 0 is that of an order that is not written yet. */
public record Order(long orderId, UUID orderKey, String userId, Instant orderDate, Card card, Address billing,
        Address shipping, List<OrderLine> lines) {

    /** The order that a confirmation makes now, at the prices of its items. */
    public static Order of(Confirmation confirmed, Map<String, Item> items) {
        List<OrderLine> lines = new ArrayList<>();
        confirmed.pieces().forEach((itemId, quantity) -> lines.add(
                new OrderLine(lines.size() + 1, itemId, quantity, items.get(itemId).price())));
        // As exact as the database keeps it.
        return new Order(0, confirmed.orderKey(), confirmed.userId(), Instant.now().truncatedTo(ChronoUnit.MICROS),
                confirmed.card(), confirmed.billing(), confirmed.shipping(), lines);
    }

    /** The order with the id that the database has given it. */
    public Order written(long id) {
        return new Order(id, orderKey, userId, orderDate, card, billing, shipping, lines);
    }

    /** The order with its lines. */
    public Order with(List<OrderLine> itsLines) {
        return new Order(orderId, orderKey, userId, orderDate, card, billing, shipping, itsLines);
    }

    public BigDecimal total() {
        return lines.stream().map(OrderLine::total).reduce(Money.ZERO, BigDecimal::add);
    }
}
