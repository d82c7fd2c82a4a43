package org.middlemark.brokerage.domain;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

/** Times as SOAP and JSON write them: RFC 3339 in UTC with six decimals. */
public final class WrittenTimes {
    private static final DateTimeFormatter FORM =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSS'Z'").withZone(ZoneOffset.UTC);

    private WrittenTimes() {
    }

    /** For example "2026-01-31T08:00:00.123456Z"; what is finer than a microsecond is cut off. */
    public static String text(Instant time) {
        return FORM.format(time);
    }
}
