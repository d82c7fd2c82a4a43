package org.middlemark.brokerage.messages;

import java.io.IOException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Limits how many calls of the services there are at the same time, and how long one takes with its waiting. */
public final class CallLimit {
    /** The specification's 15 seconds. */
    static final long TIME_NANOS = TimeUnit.SECONDS.toNanos(15);

    private final Semaphore free;

    public CallLimit(int calls) {
        free = new Semaphore(calls, true);
    }

    /** A call that has {@code nanos} nanoseconds. */
    @FunctionalInterface
    public interface Call<T> {
        T within(long nanos) throws IOException, InterruptedException;
    }

    /** Does the call when it is its turn; IOException when that does not come, or the call fails. */
    public <T> T within(Call<T> call) throws IOException {
        long end = System.nanoTime() + TIME_NANOS;
        try {
            if (!free.tryAcquire(TIME_NANOS, TimeUnit.NANOSECONDS)) {
                throw new IOException("all connections to the services are in use");
            }
            try {
                return call.within(end - System.nanoTime());
            } finally {
                free.release();
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new IOException("the process is being stopped", stopped);
        }
    }
}
