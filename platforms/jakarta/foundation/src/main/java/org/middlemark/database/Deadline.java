package org.middlemark.database;

import java.sql.SQLTimeoutException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** The moment by which the database must have done what this thread asks of it. */
public final class Deadline {
    private static final ThreadLocal<Long> NANOSECONDS = new ThreadLocal<>();

    private Deadline() {
    }

    /** Does some work; every statement in it ends after {@code limit} at the latest, counted from now. */
    public static <T> T within(Duration limit, Supplier<T> work) {
        NANOSECONDS.set(System.nanoTime() + limit.toNanos());
        try {
            return work.get();
        } finally {
            NANOSECONDS.remove();
        }
    }

    /** Whole seconds that are left for the next statement, rounded up; StoreFailure when there are none. */
    public static int secondsLeft() {
        Long end = NANOSECONDS.get();
        if (end == null) {
            throw new IllegalStateException("the database is asked without a deadline");
        }
        long left = end - System.nanoTime();
        if (left <= 0) {
            throw new StoreFailure(new SQLTimeoutException("no time is left for another statement", "57014"));
        }
        return 1 + (int) TimeUnit.NANOSECONDS.toSeconds(left - 1);
    }
}
