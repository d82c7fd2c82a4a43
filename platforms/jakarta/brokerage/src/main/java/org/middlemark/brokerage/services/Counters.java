package org.middlemark.brokerage.services;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.event.TransactionPhase;
import java.util.concurrent.atomic.LongAdder;

/** What the services of this process have done since it was started. */
@ApplicationScoped
public class Counters {
    private final LongAdder operations = new LongAdder();
    private final LongAdder operationErrors = new LongAdder();
    private final LongAdder ordersPlaced = new LongAdder();
    private final LongAdder ordersCompleted = new LongAdder();

    /** An operation asks the database. */
    public void asked() {
        operations.increment();
    }

    /** An operation has ended as unavailable or internal. */
    public void failed() {
        operationErrors.increment();
    }

    public void placed() {
        ordersPlaced.increment();
    }

    public void completed() {
        ordersCompleted.increment();
    }

    void completed(@Observes(during = TransactionPhase.AFTER_SUCCESS) OrderCompleted event) {
        completed();
    }

    public long operations() {
        return operations.sum();
    }

    public long operationErrors() {
        return operationErrors.sum();
    }

    public long ordersPlaced() {
        return ordersPlaced.sum();
    }

    public long ordersCompleted() {
        return ordersCompleted.sum();
    }
}
