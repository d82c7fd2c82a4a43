package org.middlemark.values;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigDecimal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MoneyTest {
    @ParameterizedTest
    @CsvSource({"1000000, 1000000.00", "0.5, 0.50", "12.25, 12.25", "007, 7.00"})
    void anAmountIsTypedWithNoneOneOrTwoDecimals(String typed, BigDecimal amount) {
        assertEquals(amount, Money.typed(typed).orElseThrow());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ".5", "1.", "1,000", "+1", "-1", "1.234", " 1", "1e3", "١"})
    void anythingElseIsNoTypedAmount(String typed) {
        assertTrue(Money.typed(typed).isEmpty());
    }

    @ParameterizedTest
    @ValueSource(strings = {"0.00", "-0.01", "1234.50", "999999999999.99"})
    void anAmountIsSentWithTwoDecimals(String sent) {
        assertEquals(sent, Money.text(Money.sent(sent).orElseThrow()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "1", "1.5", "01.00", ".50", "+1.00", "1000000000000.00", "1.00 "})
    void anythingElseIsNoSentAmount(String sent) {
        assertTrue(Money.sent(sent).isEmpty());
    }

    @Test
    void anAverageIsRoundedHalfUp() {
        assertEquals(new BigDecimal("0.02"), Money.average(new BigDecimal("0.03"), 2));
        assertEquals(new BigDecimal("-0.02"), Money.average(new BigDecimal("-0.03"), 2));
        assertEquals(Money.ZERO, Money.average(Money.ZERO, 0));
    }
}
