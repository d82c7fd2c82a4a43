package org.middlemark.brokerage.accounts;

import java.math.BigDecimal;

/** An account whose row is locked until the end of the transaction. */
public record LockedAccount(long accountId, BigDecimal balance) {
}
