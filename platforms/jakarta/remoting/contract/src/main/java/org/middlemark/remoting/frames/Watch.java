package org.middlemark.remoting.frames;

import java.io.IOException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Closes connections whose deadline has passed. One thread looks at all of them, so that a call costs no timer: neither
 * a Unix socket nor a TLS connection has a timeout for a whole frame.
 */
public final class Watch implements Runnable {
    private static final int PERIOD_MILLISECONDS = 200;
    private static final Logger LOG = Logger.getLogger(Watch.class.getName());

    private final Set<FrameStream> streams = ConcurrentHashMap.newKeySet();

    /** Watches a connection until {@link #remove}. */
    public void add(FrameStream stream) {
        streams.add(stream);
    }

    public void remove(FrameStream stream) {
        streams.remove(stream);
    }

    /** Looks until the thread is interrupted. */
    @Override
    public void run() {
        try {
            while (true) {
                Thread.sleep(PERIOD_MILLISECONDS);
                long now = System.nanoTime();
                streams.stream().filter(stream -> stream.isOverdue(now)).forEach(Watch::close);
            }
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
        }
    }

    private static void close(FrameStream stream) {
        try {
            stream.close();
        } catch (IOException failure) {
            LOG.log(Level.FINE, "A connection could not be closed", failure);
        }
    }
}
