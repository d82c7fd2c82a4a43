package org.middlemark.brokerage.domain;

import java.math.BigDecimal;
import java.time.Instant;

/** The shares of one symbol bought by one order, with the quote's price now. */
public record Holding(long holdingId, String symbol, long quantity, BigDecimal purchasePrice, Instant purchaseTime,
        BigDecimal price, boolean beingSold) {

    /** What the shares cost when they were bought, without the fee. */
    public BigDecimal cost() {
        return purchasePrice.multiply(BigDecimal.valueOf(quantity));
    }

    /** What the shares are worth now. */
    public BigDecimal value() {
        return price.multiply(BigDecimal.valueOf(quantity));
    }

    /** The gain, or the loss when negative. */
    public BigDecimal gain() {
        return value().subtract(cost());
    }
}
