package org.middlemark.brokerage.domain;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.math.BigDecimal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.middlemark.values.Money;

class PriceWalkTest {
    @ParameterizedTest(name = "{0} at {1} is at {3} after trade {2}")
    @CsvSource({
        "s:0, 1.00, 1, 6.00",
        "s:0, 0.01, 9, 0.06",
        "s:0, 400.00, 1, 200.00",
        "s:0, 400.01, 1, 200.01",
        "s:10, 41.86, 1, 45.33",
        "s:3, 57.56, 1, 54.23",
    })
    void aCompletedOrderMovesThePrice(String symbol, BigDecimal price, long trades, BigDecimal next) {
        assertEquals(next, PriceWalk.next(symbol, price, trades));
    }

    @Test
    void aSymbolWithoutNumberCannotMove() {
        BigDecimal price = new BigDecimal("10.00");
        assertThrows(IllegalStateException.class, () -> PriceWalk.next("IBM", price, 1));
    }

    @Test
    void theDaysFiguresFollowThePrice() {
        BigDecimal price = new BigDecimal("57.56");
        Quote before = new Quote("s:3", "Company 3", price, price, price, price, Money.ZERO, 282);
        TradedQuote after = new TradedQuote(before, 0).moved(10);
        BigDecimal moved = new BigDecimal("54.23");
        assertEquals(new Quote("s:3", "Company 3", moved, price, moved, price, new BigDecimal("-3.33"), 292),
                after.quote());
        assertEquals(1, after.trades());
    }
}
