package org.middlemark.brokerage.settings;

import java.util.Locale;

/**
 * When an order is completed: in the request, or later, from a queue in the database or from one of the server's.
 * {@link #word()} is the value of the setting.
 */
public enum OrderProcessing {
    SYNC, ASYNC_QUEUE, ASYNC_XA;

    public String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Whether the orders are completed later. */
    public boolean isAsynchronous() {
        return this != SYNC;
    }

    /** Whether a processor of its own completes the orders; the server's queue delivers them to the services. */
    public boolean hasProcessor() {
        return this == ASYNC_QUEUE;
    }
}
