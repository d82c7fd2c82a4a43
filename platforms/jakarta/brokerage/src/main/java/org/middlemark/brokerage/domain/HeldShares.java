package org.middlemark.brokerage.domain;

/** What is sold of a holding, as its row says. */
public record HeldShares(long holdingId, String symbol, long quantity, boolean beingSold) {
}
