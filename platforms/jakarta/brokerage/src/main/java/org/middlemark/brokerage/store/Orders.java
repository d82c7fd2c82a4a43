package org.middlemark.brokerage.store;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.middlemark.brokerage.domain.Order;
import org.middlemark.brokerage.domain.OrderMessage;
import org.middlemark.brokerage.domain.PlacedOrder;

/** Orders and the queue of those that processors have to complete. */
public interface Orders {
    /** The newest first; nothing without such a user. */
    Optional<List<Order>> newest(String userId, int limit);

    /** Whether there are orders that have been completed and not yet seen; nothing without such a user. */
    Optional<Boolean> hasUnseen(String userId);

    /**
     * Marks the orders seen that have been completed and not yet seen, and reads them, by open time and id. Of two
     * looks at once each order is in one. An operation of its own.
     */
    List<Order> see(String userId);

    /** Writes an order, open or closed, and returns its id. */
    long write(PlacedOrder placed);

    /** Closes an open order: the order says holding and completion time. False when it is not open. */
    boolean close(Order closed);

    /** Puts the message that an order has to be completed into the queue. */
    void enqueue(Order placed);

    /** Locks the messages with the lowest ids that nobody else has locked, but for some, and reads them. */
    List<OrderMessage> take(int most, Collection<Long> exceptMessageIds);

    /** Locks a message; false when it is gone or somebody else has locked it. */
    boolean take(OrderMessage message);

    /** Reads orders, which exist, by their ids. */
    Map<Long, PlacedOrder> read(Collection<Long> orderIds);

    /** Deletes a message. */
    void dequeue(OrderMessage message);
}
