package org.middlemark.values;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Optional;
import java.util.regex.Pattern;

/** Amounts of money: exact decimals with two places. */
public final class Money {
    /** Nothing. */
    public static final BigDecimal ZERO = new BigDecimal("0.00");

    private static final int DECIMALS = 2;
    /** What numeric(14, 2) holds before the point. */
    private static final Pattern SENT = Pattern.compile("-?(0|[1-9][0-9]{0,11})\\.[0-9]{2}");
    private static final Pattern TYPED = Pattern.compile("[0-9]+(\\.[0-9]{1,2})?");

    private Money() {
    }

    /** The amount as shown and as sent: two decimals, no thousands separator. */
    public static String text(BigDecimal amount) {
        return amount.setScale(DECIMALS, RoundingMode.UNNECESSARY).toPlainString();
    }

    /** Reads what {@link #text} writes ("1234.50"); nothing for any other text and for none (null). */
    public static Optional<BigDecimal> sent(String text) {
        return text != null && SENT.matcher(text).matches() ? Optional.of(new BigDecimal(text)) : Optional.empty();
    }

    /** Reads what a person types: digits with none, one or two decimals; nothing for any other text. */
    public static Optional<BigDecimal> typed(String text) {
        return TYPED.matcher(text).matches() ? Optional.of(new BigDecimal(text).setScale(DECIMALS)) : Optional.empty();
    }

    /** The average of amounts that add up to {@code sum}, rounded half-up to cents; that of none is 0. */
    public static BigDecimal average(BigDecimal sum, long count) {
        return count == 0 ? ZERO : sum.divide(BigDecimal.valueOf(count), DECIMALS, RoundingMode.HALF_UP);
    }
}
