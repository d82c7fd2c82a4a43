package org.middlemark.brokerage.domain;

/** An order and whose it is. */
public record PlacedOrder(long accountId, Order order) {
}
