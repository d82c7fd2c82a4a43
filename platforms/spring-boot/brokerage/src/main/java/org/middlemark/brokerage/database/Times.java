package org.middlemark.brokerage.database;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;

/** Times as PostgreSQL keeps them: in UTC, to the microsecond. */
public final class Times {

    private Times() {
    }

    public static Instant now() {
        return Instant.now().truncatedTo(ChronoUnit.MICROS);
    }

    /** The value of a statement's parameter. */
    public static OffsetDateTime parameter(Instant time) {
        return time.atOffset(ZoneOffset.UTC);
    }

    /** The time in a column, or null. */
    public static Instant column(ResultSet row, String column) throws SQLException {
        OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
        return time == null ? null : time.toInstant();
    }
}
