package org.middlemark.petstore.store;

import java.util.Optional;
import java.util.UUID;
import org.middlemark.petstore.domain.Order;

/** The orders of the database orders. */
public interface Orders {
    /** Writes an order and its lines in the caller's transaction and returns its id; refused when its key has one. */
    long write(Order order);

    Optional<Order> find(long orderId);

    Optional<Order> find(UUID orderKey);
}
