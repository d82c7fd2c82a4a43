package org.middlemark.brokerage.quotes;

import java.math.BigDecimal;

/** A quote whose row is locked until the end of the transaction; {@code trades} is its number of completed orders. */
public record LockedQuote(String symbol, BigDecimal price, long trades) {

    /** The price after one more completed order: "Moving the quote" of the specification, in whole cents. */
    public BigDecimal nextPrice() {
        long cents = price.movePointRight(2).longValueExact();
        return BigDecimal.valueOf(nextCents(cents, Long.parseLong(symbol.substring(2)), trades + 1), 2);
    }

    private static long nextCents(long cents, long symbolNumber, long trades) {
        if (cents <= 100) {
            return cents * 6;
        }
        if (cents >= 40_000) {
            return (cents + 1) / 2;
        }
        long factor = 9_000 + (symbolNumber % 100_003 * 7_919 + trades * 104_729) % 2_001;
        return (cents * factor + 5_000) / 10_000;
    }
}
