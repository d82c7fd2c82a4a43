package org.middlemark.brokerage.messages;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import org.middlemark.brokerage.domain.Refusal;

/** The faults of a request's form, in the words of the specification ("Messages"). */
public final class Faults {
    /** Code points and the bytes of UTF-8 have the same order; UTF-16 has another. */
    private static final Comparator<String> CODE_POINTS = (one, other) -> Arrays.compareUnsigned(
            one.getBytes(StandardCharsets.UTF_8), other.getBytes(StandardCharsets.UTF_8));

    private Faults() {
    }

    public static Refusal missing(Key key) {
        return Refusal.invalid("The key " + key.name() + " is missing.");
    }

    /** Tells the first of the keys, none of which the operation has. */
    public static Refusal unknown(Collection<String> names) {
        return Refusal.invalid("The key " + names.stream().min(CODE_POINTS).orElseThrow() + " is unknown.");
    }

    public static Refusal noList(Key key) {
        return Refusal.invalid("The key " + key.name() + " must be a list.");
    }

    public static Refusal noText(Key key) {
        return Refusal.invalid("The key " + key.name() + " must be text.");
    }

    public static Refusal noWholeNumber(Key key) {
        return Refusal.invalid("The key " + key.name() + " must be a whole number.");
    }

    public static Refusal noAmount() {
        return Refusal.invalid("An amount must be text such as \"1234.50\".");
    }
}
