package org.middlemark.brokerage.orders;

import java.math.BigDecimal;
import java.time.Instant;

/** Buys or sells shares. The total is what a buy costs and what a sell brings; completion time and holding are null until there is one. */
public record Order(long orderId, OrderType type, OrderStatus status, String symbol, long quantity, BigDecimal price, BigDecimal fee,
        BigDecimal total, Instant openTime, Instant completionTime, Long holdingId) {

    Order withId(long id) {
        return new Order(id, type, status, symbol, quantity, price, fee, total, openTime, completionTime, holdingId);
    }
}
