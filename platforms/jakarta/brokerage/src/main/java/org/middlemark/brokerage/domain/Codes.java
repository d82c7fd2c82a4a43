package org.middlemark.brokerage.domain;

import java.util.List;
import org.middlemark.refusals.Code;

/** Why an operation of the brokerage was refused (specs/brokerage/README.md, "Errors"). */
public final class Codes {
    public static final Code UNKNOWN_USER = new Code("unknown_user", 404);
    public static final Code UNKNOWN_SYMBOL = new Code("unknown_symbol", 404);
    public static final Code UNKNOWN_HOLDING = new Code("unknown_holding", 404);
    public static final Code USER_EXISTS = new Code("user_exists", 409);
    public static final Code INSUFFICIENT_FUNDS = new Code("insufficient_funds", 409);
    public static final Code ALREADY_BEING_SOLD = new Code("already_being_sold", 409);

    /** All codes, also those of every specification. */
    public static final List<Code> ALL = List.of(Code.INVALID_INPUT, Code.AUTHENTICATION_FAILED, UNKNOWN_USER,
            UNKNOWN_SYMBOL, UNKNOWN_HOLDING, USER_EXISTS, INSUFFICIENT_FUNDS, ALREADY_BEING_SOLD, Code.UNAVAILABLE,
            Code.INTERNAL);

    private Codes() {
    }
}
