package org.middlemark.values;

import org.middlemark.refusals.Refusal;

/** The limits of texts that users give; one that is missing (null) or outside is refused with its message. */
public final class Texts {
    private Texts() {
    }

    /** A text that must not be empty. */
    public static void needed(String name, String text, int most) {
        if (text == null || text.isEmpty()) {
            throw missing(name);
        }
        text(name, text, most);
    }

    /** A text that may be empty. */
    public static void text(String name, String text, int most) {
        if (text == null) {
            throw missing(name);
        }
        if (text.length() > most) {
            throw Refusal.invalid("The " + name + " has more than " + most + " characters.");
        }
        if (text.chars().anyMatch(Character::isISOControl)) {
            throw Refusal.invalid("The " + name + " must not contain control characters.");
        }
        if (!text.equals(text.strip())) {
            throw Refusal.invalid("The " + name + " must neither begin nor end with white space.");
        }
    }

    private static Refusal missing(String name) {
        return Refusal.invalid("The " + name + " is missing.");
    }
}
