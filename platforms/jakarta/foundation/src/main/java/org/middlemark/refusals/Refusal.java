package org.middlemark.refusals;

import jakarta.ejb.ApplicationException;

/**
 * Ends an operation with a code and a message for the user. It is the only exception that the services let out. A cause
 * is for the log only.
 */
@ApplicationException(rollback = true)
public class Refusal extends RuntimeException {
    private final Code code;

    /** A refusal whose message is the specification's, for the user. */
    public Refusal(Code code, String message) {
        super(message);
        this.code = code;
    }

    private Refusal(Code code, String message, Throwable cause) {
        super(message, cause);
        this.code = code;
    }

    /** A value is missing, malformed or outside its limits. */
    public static Refusal invalid(String message) {
        return new Refusal(Code.INVALID_INPUT, message);
    }

    /** The database or the services do not answer. */
    public static Refusal unavailable(Throwable cause) {
        return new Refusal(Code.UNAVAILABLE, "The service is not available at the moment. Please try again.", cause);
    }

    /** Anything that nobody foresaw. */
    public static Refusal internal(Throwable cause) {
        return new Refusal(Code.INTERNAL, "Something went wrong. The details are in the log.", cause);
    }

    /** What every interface translates into its own status. */
    public Code code() {
        return code;
    }
}
