package org.middlemark.remoting.domain;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.DateTimeException;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.format.ResolverStyle;
import java.time.temporal.ChronoField;
import java.util.regex.Pattern;

/** Decimals and times as messages have them: as text. */
public final class WrittenValues {
    private static final int DECIMALS = 2;
    private static final int YEAR_DIGITS = 4;
    private static final Pattern DECIMAL = Pattern.compile("-?[0-9]{1,12}(\\.[0-9]{1,2})?");
    private static final DateTimeFormatter TIME = new DateTimeFormatterBuilder()
            .appendValue(ChronoField.YEAR, YEAR_DIGITS).appendPattern("-MM-dd'T'HH:mm:ss").toFormatter()
            .withResolverStyle(ResolverStyle.STRICT);

    private WrittenValues() {
    }

    /** A decimal with two places: {@code 32.38}. */
    public static String text(BigDecimal decimal) {
        return decimal.setScale(DECIMALS, RoundingMode.UNNECESSARY).toPlainString();
    }

    /** Reads a decimal with at most two places; Unreadable for any other text. */
    public static BigDecimal decimal(String name, String text) {
        if (text == null || !DECIMAL.matcher(text).matches()) {
            throw new Unreadable(name + " is not a decimal with two places.");
        }
        return new BigDecimal(text).setScale(DECIMALS);
    }

    /** A time without a zone: {@code 2005-02-14T00:00:00}. */
    public static String text(LocalDateTime time) {
        return TIME.format(time);
    }

    /** Reads a text that {@link #text(LocalDateTime)} writes; Unreadable for any other text. */
    public static LocalDateTime time(String name, String text) {
        if (text == null) {
            throw new Unreadable(name + " is missing.");
        }
        try {
            return LocalDateTime.parse(text, TIME);
        } catch (DateTimeException malformed) {
            throw new Unreadable(name + " is not a time like 2005-02-14T00:00:00.");
        }
    }
}
