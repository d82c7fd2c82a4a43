package org.middlemark.brokerage.quotes;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LockedQuoteTest {

    @ParameterizedTest
    @CsvSource({
        "s:1, 89.19, 0, 85.55", // factor 9000 + (7919 + 104729) mod 2001 = 9592
        "s:0, 1.00, 3, 6.00", // a penny stock comes up
        "s:0, 1.01, 0, 0.98", // and one above it does not: factor 9000 + 104729 mod 2001 = 9677 gives 97.74 cents
        "s:7, 400.00, 5, 200.00", // a split
        "s:7, 400.01, 5, 200.01", // rounded half up
    })
    void completedOrderMovesThePrice(String symbol, BigDecimal price, long trades, BigDecimal next) {
        assertThat(new LockedQuote(symbol, price, trades).nextPrice()).isEqualTo(next);
    }
}
