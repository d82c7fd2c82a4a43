package org.middlemark.brokerage.domain;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.math.BigDecimal;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.middlemark.refusals.Refusal;
import org.middlemark.values.Money;

class OrderTest {
    private static final Instant NOW = Instant.parse("2026-01-31T08:00:00Z");
    private static final BigDecimal PRICE = new BigDecimal("10.00");
    private static final Quote QUOTE = new Quote("s:1", "Company 1", PRICE, PRICE, PRICE, PRICE, Money.ZERO, 0);

    @Test
    void aBuyCostsSharesAndFee() {
        assertEquals(new BigDecimal("124.95"), Order.buy(new BigDecimal("124.95"), QUOTE, 10, NOW).total());
    }

    @Test
    void aBuyThatTheBalanceDoesNotCoverIsRefused() {
        BigDecimal balance = new BigDecimal("124.94");
        Refusal refusal = assertThrows(Refusal.class, () -> Order.buy(balance, QUOTE, 10, NOW));
        assertEquals(Codes.INSUFFICIENT_FUNDS, refusal.code());
        assertEquals("The order costs 124.95, the balance is 124.94.", refusal.getMessage());
    }

    @Test
    void aSellCreditsSharesLessTheFeeWhichMayBeNegative() {
        assertEquals(new BigDecimal("-14.95"), Order.sell(shares(1, false), QUOTE, NOW).total());
        assertEquals(new BigDecimal("75.05"), Order.sell(shares(10, false), QUOTE, NOW).total());
    }

    @Test
    void aHoldingIsSoldOnce() {
        Refusal refusal = assertThrows(Refusal.class, () -> Order.sell(shares(1, true), QUOTE, NOW));
        assertEquals(Codes.ALREADY_BEING_SOLD, refusal.code());
        assertEquals("Holding 7 is already being sold.", refusal.getMessage());
    }

    private static HeldShares shares(long quantity, boolean beingSold) {
        return new HeldShares(7, "s:1", quantity, beingSold);
    }
}
