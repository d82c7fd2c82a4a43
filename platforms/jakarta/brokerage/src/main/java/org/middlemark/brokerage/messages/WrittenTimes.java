package org.middlemark.brokerage.messages;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.ResolverStyle;
import java.util.Optional;

/** Times as SOAP and JSON write them: RFC 3339 in UTC with six decimals. */
public final class WrittenTimes {
    private static final DateTimeFormatter FORM = DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSS'Z'")
            .withResolverStyle(ResolverStyle.STRICT).withZone(ZoneOffset.UTC);

    private WrittenTimes() {
    }

    /** For example "2026-01-31T08:00:00.123456Z"; what is finer than a microsecond is cut off. */
    public static String text(Instant time) {
        return FORM.format(time);
    }

    /** Reads {@link #text}; nothing for any other text. */
    public static Optional<Instant> read(String text) {
        try {
            return Optional.of(FORM.parse(text, Instant::from));
        } catch (DateTimeException malformed) {
            return Optional.empty();
        }
    }
}
