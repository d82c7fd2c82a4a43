package org.middlemark.brokerage.messages;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import org.middlemark.brokerage.domain.OrderStatus;
import org.middlemark.brokerage.domain.OrderType;

/** What the operations answer where that is not a record of the domain: lists, orders with their total, and nothing. */
public final class Answers {
    private Answers() {
    }

    public record Nothing() {
    }

    public record Holdings(List<org.middlemark.brokerage.domain.Holding> holdings) {
    }

    public record Quotes(List<org.middlemark.brokerage.domain.Quote> quotes) {
    }

    public record Orders(List<Order> orders) {
        /** The orders as the services answer them. */
        public static Orders of(List<org.middlemark.brokerage.domain.Order> orders) {
            return new Orders(orders.stream().map(Order::of).toList());
        }

        List<org.middlemark.brokerage.domain.Order> domain() {
            return orders.stream().map(Order::domain).toList();
        }
    }

    /** An order as it is sent: with its total; completion time and holding id may be null. */
    public record Order(long orderId, String type, String status, String symbol, long quantity, BigDecimal price,
            BigDecimal fee, BigDecimal total, Instant openTime, @MayBeMissing Instant completionTime,
            @MayBeMissing Long holdingId) {

        /** The order as the services answer it. */
        public static Order of(org.middlemark.brokerage.domain.Order order) {
            return new Order(order.orderId(), order.type().word(), order.status().word(), order.symbol(),
                    order.quantity(),
                    order.price(), order.fee(), order.total(), order.openTime(), order.completionTime(),
                    order.holdingId());
        }

        org.middlemark.brokerage.domain.Order domain() {
            try {
                return new org.middlemark.brokerage.domain.Order(orderId, OrderType.of(type), OrderStatus.of(status),
                        symbol,
                        quantity, price, fee, openTime, completionTime, holdingId);
            } catch (IllegalArgumentException wrong) {
                throw new WrongAnswer("type or status of an order", wrong);
            }
        }
    }
}
