package org.middlemark.brokerage.domain;

import java.math.BigDecimal;
import java.time.Instant;
import org.middlemark.refusals.Refusal;
import org.middlemark.values.Money;

/**
 * An order to buy or sell shares; price and fee are fixed when it is placed.
 *
 * @param orderId 0 as long as the database has not given it one
 * @param completionTime null until the order is completed
 * @param holdingId null until a buy is completed
 */
public record Order(long orderId, OrderType type, OrderStatus status, String symbol, long quantity, BigDecimal price,
        BigDecimal fee, Instant openTime, Instant completionTime, Long holdingId) {

    /** The fee of every order. */
    public static final BigDecimal FEE = new BigDecimal("24.95");
    /** How many orders the account page shows. */
    public static final int RECENT = 5;
    /** How many orders may be asked for at once. */
    public static final int MAX_ORDERS = 100;

    /** The open order to buy at the quote's price; refused when the balance does not cover it. */
    public static Order buy(BigDecimal balance, Quote quote, long quantity, Instant now) {
        Order order = new Order(0, OrderType.BUY, OrderStatus.OPEN, quote.symbol(), quantity, quote.price(), FEE, now,
                null, null);
        if (balance.compareTo(order.total()) < 0) {
            throw new Refusal(Codes.INSUFFICIENT_FUNDS,
                    "The order costs " + Money.text(order.total()) + ", the balance is " + Money.text(balance) + ".");
        }
        return order;
    }

    /** The open order to sell the whole holding at the quote's price; refused when that has been ordered before. */
    public static Order sell(HeldShares shares, Quote quote, Instant now) {
        if (shares.beingSold()) {
            throw new Refusal(Codes.ALREADY_BEING_SOLD, "Holding " + shares.holdingId() + " is already being sold.");
        }
        return new Order(0, OrderType.SELL, OrderStatus.OPEN, shares.symbol(), shares.quantity(), quote.price(), FEE,
                now, null, shares.holdingId());
    }

    /** What a buy debits or a sell credits; a sell's may be negative. */
    public BigDecimal total() {
        BigDecimal amount = price.multiply(BigDecimal.valueOf(quantity));
        return type == OrderType.BUY ? amount.add(fee) : amount.subtract(fee);
    }

    /** The order with the id that the database gave it. */
    public Order placed(long id) {
        return new Order(id, type, status, symbol, quantity, price, fee, openTime, completionTime, holdingId);
    }

    /** The order when it is completed: with its holding and time. */
    public Order closed(long holding, Instant now) {
        return new Order(orderId, type, OrderStatus.CLOSED, symbol, quantity, price, fee, openTime, now, holding);
    }
}
