package org.middlemark.brokerage.domain;

import java.math.BigDecimal;

/**
 * How a completed order moves its quote's price ("Moving the quote" in specs/brokerage/README.md): whole cents, no
 * chance.
 */
final class PriceWalk {
    private static final String PREFIX = "s:";
    private static final int CENTS = 2;
    private static final long PENNY = 100;
    private static final long PENNY_FACTOR = 6;
    private static final long SPLIT = 40_000;

    private PriceWalk() {
    }

    /** The price after the order that is number {@code trades} on the symbol. */
    static BigDecimal next(String symbol, BigDecimal price, long trades) {
        return BigDecimal.valueOf(nextCents(symbol, price.unscaledValue().longValueExact(), trades), CENTS);
    }

    private static long nextCents(String symbol, long cents, long trades) {
        if (cents <= PENNY) {
            return cents * PENNY_FACTOR;
        }
        if (cents >= SPLIT) {
            return (cents + 1) / 2;
        }
        long factor = 9000 + (number(symbol) % 100_003 * 7919 + trades * 104_729) % 2001;
        return (cents * factor + 5000) / 10_000;
    }

    private static long number(String symbol) {
        if (!symbol.startsWith(PREFIX)) {
            throw new IllegalStateException("the symbol " + symbol + " is not s:NUMBER");
        }
        return Long.parseLong(symbol.substring(PREFIX.length()));
    }
}
