package org.middlemark.brokerage.store;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.middlemark.brokerage.domain.Order;
import org.middlemark.brokerage.domain.PlacedOrder;

/** Orders and the queue of those that processors have to complete. */
public interface Orders {
    /** The newest first; nothing without such a user. */
    Optional<List<Order>> newest(String userId, int limit);

    /**
     * Marks the orders seen that have been completed and not yet seen, and reads them, by id; nothing without such a
     * user. Of two looks at once each order is in one. An operation of its own.
     */
    Optional<List<Order>> see(String userId);

    /** Writes an order, open or closed, and returns its id. */
    long write(PlacedOrder placed);

    /** Closes an open order: the order says holding and completion time. False when it is not open. */
    boolean close(Order closed);

    /** Puts the message that an order has to be completed into the queue. */
    void enqueue(Order placed);

    /**
     * Takes the messages with the lowest ids that nobody else has locked, but for those of some orders, and reads their
     * orders.
     */
    List<PlacedOrder> take(int most, Collection<Long> exceptOrderIds);

    /** The ids of the orders whose messages {@link #take} would take; locked as long as the transaction runs. */
    List<Long> waiting(int most, Collection<Long> exceptOrderIds);

    /** Reads an order, which exists. */
    PlacedOrder read(long orderId);

    /** Deletes the message of an order. */
    void dequeue(long orderId);
}
