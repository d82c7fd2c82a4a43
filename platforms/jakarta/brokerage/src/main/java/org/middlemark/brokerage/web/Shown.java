package org.middlemark.brokerage.web;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

/** How the templates show values. */
public final class Shown {
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss")
            .withZone(ZoneOffset.UTC);

    private Shown() {
    }

    /** A time in UTC, cut off to seconds; nothing for none. */
    public static String time(Instant instant) {
        return instant == null ? "" : TIME.format(instant);
    }

    /** A text as a value in a query. */
    public static String query(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
