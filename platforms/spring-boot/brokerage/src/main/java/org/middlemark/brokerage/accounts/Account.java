package org.middlemark.brokerage.accounts;

import java.math.BigDecimal;
import java.time.Instant;

/** A user's money and counters. */
public record Account(long accountId, String userId, Instant creationTime, BigDecimal openBalance, BigDecimal balance, long loginCount,
        long logoutCount, Instant lastLogin) {
}
