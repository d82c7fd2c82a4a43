package org.middlemark.brokerage.json;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import org.middlemark.brokerage.domain.OrderStatus;
import org.middlemark.brokerage.domain.OrderType;
import org.middlemark.refusals.Refusal;

/** What the operations answer where that is not a record of the domain. */
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
        static Orders of(List<org.middlemark.brokerage.domain.Order> orders) {
            return new Orders(orders.stream().map(Order::of).toList());
        }

        List<org.middlemark.brokerage.domain.Order> domain() {
            return orders.stream().map(Order::domain).toList();
        }
    }

    /** An order with its total; completion time and holding id may be null. */
    public record Order(long orderId, String type, String status, String symbol, long quantity, BigDecimal price,
            BigDecimal fee, BigDecimal total, Instant openTime, Instant completionTime, Long holdingId) {

        static Order of(org.middlemark.brokerage.domain.Order order) {
            return new Order(order.orderId(), order.type().word(), order.status().word(), order.symbol(),
                    order.quantity(), order.price(), order.fee(), order.total(), order.openTime(),
                    order.completionTime(), order.holdingId());
        }

        org.middlemark.brokerage.domain.Order domain() {
            return new org.middlemark.brokerage.domain.Order(orderId, OrderType.of(type), OrderStatus.of(status),
                    symbol, quantity, price, fee, openTime, completionTime, holdingId);
        }
    }

    /** A refusal: an object of application/problem+json. */
    public record Problem(int status, String detail, String code) {
        static final String TYPE = "application/problem+json";

        static Problem of(Refusal refusal) {
            return new Problem(refusal.code().httpStatus(), refusal.getMessage(), refusal.code().word());
        }
    }
}
