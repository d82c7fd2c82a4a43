package org.middlemark.brokerage.domain;

/** The message of the queue that an order has to be completed. */
public record OrderMessage(long messageId, long orderId) {
}
