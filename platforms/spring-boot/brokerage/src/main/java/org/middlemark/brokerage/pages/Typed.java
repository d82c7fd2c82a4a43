package org.middlemark.brokerage.pages;

import java.math.BigDecimal;

/**
 * Reads what somebody has typed into a form. A text that is not there is empty; what is no number is null, which the operations refuse
 * with their limits.
 */
final class Typed {

    private static final int CENTS = 2;
    /** More digits before the point than any amount has: such a number stays as it is, and is refused by its limits. */
    private static final int MAX_DIGITS = 12;

    private Typed() {
    }

    static String text(String text) {
        return text == null ? "" : text;
    }

    static Long wholeNumber(String text) {
        try {
            return Long.valueOf(text.strip());
        } catch (NumberFormatException noNumber) {
            return null;
        }
    }

    /** Returns the amount with its cents, as the services want it. */
    static BigDecimal amount(String text) {
        try {
            BigDecimal amount = new BigDecimal(text.strip());
            boolean lacksCents = amount.scale() < CENTS && (long) amount.precision() - amount.scale() <= MAX_DIGITS;
            return lacksCents ? amount.setScale(CENTS) : amount;
        } catch (NumberFormatException noNumber) {
            return null;
        }
    }
}
