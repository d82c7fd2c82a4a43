package org.middlemark.brokerage.processing;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The orders that could not be completed: each is left alone for a while and told once. */
final class FailedOrders {
    private final Map<Long, Long> leftAloneUntil = new ConcurrentHashMap<>();
    private final long pauseNanos;

    FailedOrders(long pauseNanos) {
        this.pauseNanos = pauseNanos;
    }

    /** Leaves an order alone from now on; true the first time. */
    boolean add(long orderId) {
        return leftAloneUntil.put(orderId, System.nanoTime() + pauseNanos) == null;
    }

    /** Forgets orders that have been completed. */
    void completed(List<Long> orderIds) {
        orderIds.forEach(leftAloneUntil::remove);
    }

    /** The orders that are left alone at this moment. */
    Collection<Long> leftAlone() {
        long now = System.nanoTime();
        return leftAloneUntil.entrySet().stream().filter(failed -> failed.getValue() - now > 0).map(Map.Entry::getKey)
                .toList();
    }
}
