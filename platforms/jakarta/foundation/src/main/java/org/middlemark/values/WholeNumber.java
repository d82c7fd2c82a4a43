package org.middlemark.values;

import java.util.OptionalLong;
import java.util.regex.Pattern;

/** Whole numbers as people type them. */
public final class WholeNumber {
    private static final Pattern DIGITS = Pattern.compile("[0-9]+");

    private WholeNumber() {
    }

    /** Reads digits alone ("007" is 7); nothing for any other text and for what 64 bits cannot hold. */
    public static OptionalLong typed(String text) {
        if (!DIGITS.matcher(text).matches()) {
            return OptionalLong.empty();
        }
        try {
            return OptionalLong.of(Long.parseLong(text));
        } catch (NumberFormatException tooLarge) {
            return OptionalLong.empty();
        }
    }
}
