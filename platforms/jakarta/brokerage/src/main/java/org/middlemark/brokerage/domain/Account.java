package org.middlemark.brokerage.domain;

import java.math.BigDecimal;
import java.time.Instant;

/** A user's money and counters. Amounts have two decimals. */
public record Account(long accountId, String userId, Instant creationTime, BigDecimal openBalance, BigDecimal balance,
        long loginCount, long logoutCount, Instant lastLogin) {
}
