package org.middlemark.brokerage.services;

/** The event that a queued order has been committed; whoever observes it must not fail. */
public record OrderPlaced(long orderId) {
}
