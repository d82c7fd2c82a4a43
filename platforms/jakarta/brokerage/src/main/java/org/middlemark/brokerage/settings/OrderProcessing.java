package org.middlemark.brokerage.settings;

import java.util.Locale;

/** When an order is completed: in the request, or later by a processor. {@link #word()} is the value of the setting. */
public enum OrderProcessing {
    SYNC, ASYNC_QUEUE, ASYNC_XA;

    public String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Whether a processor completes the orders. */
    public boolean isAsynchronous() {
        return this != SYNC;
    }

    /** Whether this application can do it; async-xa needs a queue outside the database. */
    public boolean isOffered() {
        return this != ASYNC_XA;
    }
}
