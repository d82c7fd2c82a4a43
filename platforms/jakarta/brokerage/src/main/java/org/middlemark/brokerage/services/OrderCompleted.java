package org.middlemark.brokerage.services;

/** The event that an order of the server's queue has been completed; it counts once its transaction is committed. */
public record OrderCompleted(long orderId) {
}
