package org.middlemark.pages;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Map;

/** How the templates show values. */
public final class Shown {
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss")
            .withZone(ZoneOffset.UTC);
    private static final Map<Integer, String> REASONS = Map.of(400, "Bad Request", 403, "Forbidden", 404, "Not Found",
            405, "Method Not Allowed", 409, "Conflict", 500, "Internal Server Error", 503, "Service Unavailable");

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

    /** The path of an address as it was sent, as people read it. */
    public static String path(String uri) {
        return URLDecoder.decode(uri.replace("+", "%2B"), StandardCharsets.UTF_8);
    }

    /** The reason phrase of a status; nothing for one that no page has. */
    public static String reason(int status) {
        return REASONS.getOrDefault(status, "");
    }
}
