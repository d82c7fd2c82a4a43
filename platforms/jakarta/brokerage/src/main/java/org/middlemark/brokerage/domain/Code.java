package org.middlemark.brokerage.domain;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** Why an operation was refused, the same in every binding (specs/brokerage/README.md, "Errors"). */
public enum Code {
    INVALID_INPUT(400),
    AUTHENTICATION_FAILED(403),
    UNKNOWN_USER(404),
    UNKNOWN_SYMBOL(404),
    UNKNOWN_HOLDING(404),
    USER_EXISTS(409),
    INSUFFICIENT_FUNDS(409),
    ALREADY_BEING_SOLD(409),
    UNAVAILABLE(503),
    INTERNAL(500);

    private final int httpStatus;
    private final String word;

    Code(int httpStatus) {
        this.httpStatus = httpStatus;
        this.word = name().toLowerCase(Locale.ROOT);
    }

    /** The status of the JSON answer and of the page. */
    public int httpStatus() {
        return httpStatus;
    }

    /** The code as clients read it, for example {@code invalid_input}. */
    public String word() {
        return word;
    }

    /** Whether the fault is the operator's and not the client's. */
    public boolean isFailure() {
        return this == UNAVAILABLE || this == INTERNAL;
    }

    /** Reads {@link #word()}; nothing for a code that does not exist. */
    public static Optional<Code> of(String word) {
        return Arrays.stream(values()).filter(code -> code.word.equals(word)).findFirst();
    }
}
