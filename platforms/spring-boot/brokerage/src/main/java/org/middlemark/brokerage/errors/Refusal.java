package org.middlemark.brokerage.errors;

/** A request that is refused, with the code and the message that the client is told. */
public final class Refusal extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final ErrorCode code;

    public Refusal(ErrorCode code, String message) {
        // A refusal is an answer, not a fault of the program: nobody reads its stack trace.
        super(message, null, false, false);
        this.code = code;
    }

    public static Refusal invalidInput(String message) {
        return new Refusal(ErrorCode.INVALID_INPUT, message);
    }

    public static Refusal unknownUser(String userId) {
        return new Refusal(ErrorCode.UNKNOWN_USER, "There is no user " + userId + ".");
    }

    public static Refusal unknownSymbol(String symbol) {
        return new Refusal(ErrorCode.UNKNOWN_SYMBOL, "There is no symbol " + symbol + ".");
    }

    public static Refusal unavailable() {
        return new Refusal(ErrorCode.UNAVAILABLE, "The service is not available at the moment. Please try again.");
    }

    public static Refusal internal() {
        return new Refusal(ErrorCode.INTERNAL, "Something went wrong. The details are in the log.");
    }

    public ErrorCode code() {
        return code;
    }
}
