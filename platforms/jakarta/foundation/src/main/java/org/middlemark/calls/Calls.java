package org.middlemark.calls;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.middlemark.refusals.Refusal;

/** Calls of services in another process: only so many at the same time, and a refusal for whatever goes wrong. */
public final class Calls {
    /**
     * How long a caller waits for an answer: with its turn the specified 15 s, and longer than the services give their
     * database, so that their own refusal arrives.
     */
    public static final Duration LONGEST_ANSWER = Duration.ofSeconds(13);
    /** How long a caller waits for a connection. */
    public static final Duration LONGEST_CONNECT = Duration.ofSeconds(2);

    private static final Duration LONGEST_TURN = Duration.ofSeconds(2);
    private static final Logger LOG = Logger.getLogger(Calls.class.getName());

    private final Semaphore turns;

    /** Allows {@code most} calls at the same time. */
    public Calls(int most) {
        turns = new Semaphore(most, true);
    }

    /** Does the call, as {@link #answer} does, when it is its turn. */
    public <T> T call(Supplier<T> call) {
        try {
            if (!turns.tryAcquire(LONGEST_TURN.toMillis(), TimeUnit.MILLISECONDS)) {
                throw unavailable(new IllegalStateException("all calls of the services are under way"));
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw unavailable(stopped);
        }
        try {
            return answer(call);
        } finally {
            turns.release();
        }
    }

    /**
     * Does a call at once. A Refusal that it throws is the services' own; any other exception says that there is no
     * answer, or none that can be read: unavailable.
     */
    public static <T> T answer(Supplier<T> call) {
        try {
            return call.get();
        } catch (Refusal refusal) {
            throw refusal;
        } catch (RuntimeException none) {
            throw unavailable(none);
        }
    }

    private static Refusal unavailable(Exception why) {
        Throwable first = why;
        while (first.getCause() != null) {
            first = first.getCause();
        }
        LOG.log(Level.WARNING, "No answer of the services: {0}", first.toString());
        return Refusal.unavailable(why);
    }
}
