package org.middlemark.brokerage.process;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.springframework.stereotype.Component;

/** What this process has done since it was started. */
@Component
public class Statistics {

    private final Instant started = Instant.now();
    private final LongAdder requests = new LongAdder();
    private final LongAdder requestErrors = new LongAdder();
    private final AtomicLong sessions = new AtomicLong();
    private final LongAdder operations = new LongAdder();
    private final LongAdder operationErrors = new LongAdder();
    private final LongAdder ordersPlaced = new LongAdder();
    private final LongAdder ordersCompleted = new LongAdder();

    /** Counts a request for a page that has been answered with this status. */
    public void request(int status) {
        requests.increment();
        if (status >= 500) {
            requestErrors.increment();
        }
    }

    public void sessionBegun() {
        sessions.incrementAndGet();
    }

    public void sessionEnded() {
        sessions.decrementAndGet();
    }

    /** Counts an operation that asks the database. */
    public void operation() {
        operations.increment();
    }

    /** Counts an operation that was unavailable or failed. */
    public void operationFailed() {
        operationErrors.increment();
    }

    public void orderPlaced() {
        ordersPlaced.increment();
    }

    public void orderCompleted() {
        ordersCompleted.increment();
    }

    /** What they are now, for the page. */
    public Snapshot snapshot() {
        long uptime = Duration.between(started, Instant.now()).toSeconds();
        int threads = ManagementFactory.getThreadMXBean().getThreadCount();
        return new Snapshot(started, uptime, threads, requests.sum(), requestErrors.sum(), sessions.get(), operations.sum(),
                operationErrors.sum(), ordersPlaced.sum(), ordersCompleted.sum());
    }

    /** The statistics at one moment; {@code uptime} in seconds. */
    public record Snapshot(Instant started, long uptime, int threads, long requests, long requestErrors, long sessions, long operations,
            long operationErrors, long ordersPlaced, long ordersCompleted) {
    }
}
