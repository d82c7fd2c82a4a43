package org.middlemark.brokerage.services;

/** The event that an order has been committed to the queue of the database; whoever observes it must not fail. */
public record OrderPlaced(long orderId) {
}
