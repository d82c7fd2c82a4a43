package org.middlemark.brokerage.web;

import jakarta.enterprise.context.ApplicationScoped;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** What browsers have asked of this process since it was started. */
@ApplicationScoped
public class Traffic {
    private final LongAdder requests = new LongAdder();
    private final LongAdder requestErrors = new LongAdder();
    private final AtomicInteger sessions = new AtomicInteger();

    void requestAnswered() {
        requests.increment();
    }

    /** A request has been answered with a status of 500 or more. */
    void requestFailed() {
        requestErrors.increment();
    }

    void sessionBegan() {
        sessions.incrementAndGet();
    }

    void sessionEnded() {
        sessions.decrementAndGet();
    }

    public long requests() {
        return requests.sum();
    }

    public long requestErrors() {
        return requestErrors.sum();
    }

    /** The sessions that the container has not ended yet. */
    public int sessions() {
        return sessions.get();
    }
}
