package org.middlemark.brokerage.processing;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.middlemark.brokerage.domain.OrderMessage;
import org.middlemark.brokerage.services.Counters;
import org.middlemark.brokerage.settings.Settings;
import org.middlemark.database.Deadline;

/**
 * Queued orders as one process sees them. In the queue of the database it looks for orders, completes them, and
 * remembers those that it cannot; the server's own queue delivers orders and remembers itself.
 */
@ApplicationScoped
public class QueuedOrders {
    private static final Logger LOG = Logger.getLogger(QueuedOrders.class.getName());

    @Inject
    private Settings settings;
    @Inject
    private Counters counters;
    @Inject
    private OrderCompletion completion;
    /** By the ids of their messages, until when they are left alone in nanoseconds. */
    private final Map<Long, Long> leftAlone = new ConcurrentHashMap<>();
    private long lastLogged;

    /**
     * One look. Orders that cannot be completed together are completed one by one; what a later attempt can cure is
     * left to the next look.
     *
     * @return whether there may be more orders
     */
    boolean look() {
        int most = settings.processor().batch();
        try {
            return complete(most) == most;
        } catch (CannotComplete failure) {
            return completeOneByOne(failure) && failure.messages().size() == most;
        } catch (RuntimeException failure) {
            log(failure);
            return false;
        }
    }

    /**
     * Completes an order that the server's queue has delivered, in the caller's transaction.
     *
     * @return false when that transaction has to be rolled back; the queue delivers the order again
     */
    boolean completeDelivered(long orderId) {
        try {
            inTime(() -> {
                completion.completeOrder(orderId);
                return orderId;
            });
            return true;
        } catch (CannotComplete failure) {
            logStays(orderId, failure);
        } catch (RuntimeException failure) {
            log(failure);
        }
        return false;
    }

    private int complete(int most) {
        List<OrderMessage> completed = inTime(() -> completion.complete(most, leftAlone()));
        completed.forEach(message -> counters.completed());
        return completed.size();
    }

    /** False when the rest is left to the next look. */
    private boolean completeOneByOne(CannotComplete together) {
        List<OrderMessage> messages = together.messages();
        if (messages.size() == 1) {
            leaveAlone(messages.get(0), together);
            return true;
        }
        for (OrderMessage message : messages) {
            try {
                if (inTime(() -> completion.complete(message))) {
                    counters.completed();
                }
            } catch (CannotComplete failure) {
                leaveAlone(message, failure);
            } catch (RuntimeException failure) {
                log(failure);
                return false;
            }
        }
        return true;
    }

    private void leaveAlone(OrderMessage message, CannotComplete failure) {
        leftAlone.put(message.messageId(), System.nanoTime() + pause());
        logStays(message.orderId(), failure);
    }

    private static void logStays(long orderId, CannotComplete failure) {
        LOG.log(Level.WARNING, "order {0} cannot be completed and stays in the queue: {1}",
                new Object[] {Long.toString(orderId), failure.getCause().toString().lines().findFirst().orElse("")});
    }

    private Collection<Long> leftAlone() {
        long now = System.nanoTime();
        leftAlone.values().removeIf(until -> until - now <= 0);
        return List.copyOf(leftAlone.keySet());
    }

    /** While the database is away all attempts fail for the same reason, which is logged once in a pause. */
    private synchronized void log(RuntimeException failure) {
        long now = System.nanoTime();
        if (lastLogged == 0 || now - lastLogged >= pause()) {
            lastLogged = now;
            LOG.log(Level.WARNING, "queued orders are left to a later attempt: {0}",
                    failure.toString().lines().findFirst().orElse(""));
        }
    }

    private <T> T inTime(Supplier<T> transaction) {
        return Deadline.within(Duration.ofSeconds(settings.processor().timeoutSeconds()), transaction);
    }

    private long pause() {
        return Duration.ofSeconds(settings.processor().seconds()).toNanos();
    }
}
