package org.middlemark.brokerage.services;

/**
 * Services in another process. An answer that cannot be read, none within 15 s and nobody who listens
 * are {@code unavailable}. Nothing is ever sent twice.
 */
public interface RemoteServices extends BrokerageServices, AutoCloseable {
    /** Closes the connections that are nobody else's when the calls under way have ended. */
    @Override
    default void close() {
        // Most technologies share their connections.
    }
}
