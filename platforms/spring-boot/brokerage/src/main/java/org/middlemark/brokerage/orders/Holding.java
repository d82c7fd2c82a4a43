package org.middlemark.brokerage.orders;

import java.math.BigDecimal;
import java.time.Instant;

/** Shares of one symbol bought by one order; the price is the quote's now. */
public record Holding(long holdingId, String symbol, long quantity, BigDecimal purchasePrice, Instant purchaseTime, BigDecimal price,
        boolean beingSold) {
}
