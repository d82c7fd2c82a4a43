package org.middlemark.brokerage.services;

/**
 * Services in another process. An answer that the specification does not allow, none within 15 s and nobody who listens
 * are {@code unavailable}. Nothing is ever sent twice.
 */
public interface RemoteServices extends BrokerageServices, AutoCloseable {
    /** Closes the connections when the calls under way have ended. */
    @Override
    void close();
}
