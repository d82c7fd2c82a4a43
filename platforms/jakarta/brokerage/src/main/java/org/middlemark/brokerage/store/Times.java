package org.middlemark.brokerage.store;

import java.time.Instant;

/** The times that the database may hold and the bindings can say: the years 1 to 9999. */
public final class Times {
    private static final Instant FIRST = Instant.parse("0001-01-01T00:00:00Z");
    private static final Instant LAST = Instant.parse("9999-12-31T23:59:59.999999Z");

    private Times() {
    }

    /** The time as it is; IllegalStateException for one outside, such as the database's infinity. */
    public static Instant checked(Instant time) {
        if (time.isBefore(FIRST) || time.isAfter(LAST)) {
            throw new IllegalStateException("the database has a time that cannot be shown");
        }
        return time;
    }
}
