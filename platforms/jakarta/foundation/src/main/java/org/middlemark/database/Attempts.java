package org.middlemark.database;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.middlemark.refusals.Code;
import org.middlemark.refusals.Refusal;

/** Carries an operation out, again after a deadlock or a serialization failure, and translates what failed at last. */
public final class Attempts {
    /** An operation that the database has not done by then is unavailable. */
    private static final Duration LIMIT = Duration.ofSeconds(10);
    private static final int REPETITIONS = 5;
    private static final int SHORTEST_PAUSE_MILLISECONDS = 5;
    private static final int LONGEST_PAUSE_MILLISECONDS = 50;
    private static final Logger LOG = Logger.getLogger(Attempts.class.getName());

    private Attempts() {
    }

    /**
     * Each attempt is one call of {@code transaction}, which begins and ends a transaction of its own. Every failure is
     * a Refusal; one that is not the client's fault is also logged.
     */
    public static <T> T carryOut(Supplier<T> transaction) {
        try {
            return Deadline.within(LIMIT, () -> repeat(transaction));
        } catch (RuntimeException failure) {
            Refusal refusal = Failures.refusal(failure);
            log(refusal);
            throw refusal;
        }
    }

    private static void log(Refusal refusal) {
        if (refusal.code().equals(Code.INTERNAL)) {
            LOG.log(Level.WARNING, "an operation has failed", refusal.getCause());
        } else if (refusal.code().equals(Code.UNAVAILABLE)) {
            LOG.log(Level.WARNING, "an operation was unavailable: {0}", Failures.message(refusal));
        }
    }

    private static <T> T repeat(Supplier<T> transaction) {
        for (int repetition = 0;; repetition++) {
            try {
                return transaction.get();
            } catch (RuntimeException failure) {
                if (repetition == REPETITIONS || !Failures.isRepeatable(failure)) {
                    throw failure;
                }
                pause();
            }
        }
    }

    /** A random pause, so that two that met do not meet again. */
    private static void pause() {
        try {
            ThreadLocalRandom random = ThreadLocalRandom.current();
            Thread.sleep(random.nextInt(SHORTEST_PAUSE_MILLISECONDS, LONGEST_PAUSE_MILLISECONDS + 1));
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
            throw Refusal.unavailable(stopping);
        }
    }
}
