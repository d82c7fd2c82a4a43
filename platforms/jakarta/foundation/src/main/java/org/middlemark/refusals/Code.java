package org.middlemark.refusals;

import java.util.Collection;
import java.util.Optional;

/**
 * Why an operation was refused, the same over every interface. The constants are the codes of all specifications
 * (specs/README.md, "Errors"); each application adds its own.
 *
 * @param word the code as clients read it, for example {@code invalid_input}
 * @param httpStatus the status of the response and of the page
 */
public record Code(String word, int httpStatus) {
    public static final Code INVALID_INPUT = new Code("invalid_input", 400);
    public static final Code AUTHENTICATION_FAILED = new Code("authentication_failed", 403);
    public static final Code UNAVAILABLE = new Code("unavailable", 503);
    public static final Code INTERNAL = new Code("internal", 500);

    private static final int FIRST_FAILURE = 500;

    /** Whether the fault is the operator's and not the client's. */
    public boolean isFailure() {
        return httpStatus >= FIRST_FAILURE;
    }

    /** The code of a word; nothing for a word that is none of them. */
    public static Optional<Code> of(String word, Collection<Code> codes) {
        return codes.stream().filter(code -> code.word.equals(word)).findFirst();
    }
}
