package org.middlemark.brokerage.processing;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/** The orders that could not be completed: each is left alone for a while and told once. */
final class FailedOrders {
    /** After so many pauses without another failure the order is done, elsewhere or by somebody's hand. */
    private static final int PAUSES = 10;

    private final Map<Long, Long> leftAloneUntil = new ConcurrentHashMap<>();
    private final long pauseNanos;
    private final LongSupplier nanoTime;

    FailedOrders(long pauseNanos) {
        this(pauseNanos, System::nanoTime);
    }

    FailedOrders(long pauseNanos, LongSupplier nanoTime) {
        this.pauseNanos = pauseNanos;
        this.nanoTime = nanoTime;
    }

    /** Leaves an order alone from now on; true the first time. */
    boolean add(long orderId) {
        return leftAloneUntil.put(orderId, nanoTime.getAsLong() + pauseNanos) == null;
    }

    /** Forgets orders that have been completed. */
    void completed(List<Long> orderIds) {
        orderIds.forEach(leftAloneUntil::remove);
    }

    /** The orders that are left alone at this moment; forgets those that have not failed again. */
    Collection<Long> leftAlone() {
        long now = nanoTime.getAsLong();
        leftAloneUntil.values().removeIf(until -> now - until > PAUSES * pauseNanos);
        return leftAloneUntil.entrySet().stream().filter(failed -> failed.getValue() - now > 0).map(Map.Entry::getKey)
                .toList();
    }
}
