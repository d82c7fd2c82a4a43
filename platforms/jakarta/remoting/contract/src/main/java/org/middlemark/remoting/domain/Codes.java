package org.middlemark.remoting.domain;

import java.util.List;
import org.middlemark.refusals.Code;
import org.middlemark.refusals.Refusal;

/** Why a call was refused (specs/remoting/README.md, "Errors"). */
public final class Codes {
    public static final Code UNAUTHENTICATED = new Code("unauthenticated", 401);
    public static final Code FORBIDDEN = new Code("forbidden", 403);

    /** All codes, also those of every specification. */
    public static final List<Code> ALL = List.of(Code.INVALID_INPUT, UNAUTHENTICATED, FORBIDDEN, Code.UNAVAILABLE,
            Code.INTERNAL);

    private Codes() {
    }

    /** The caller is not known. */
    public static Refusal unauthenticated() {
        return new Refusal(UNAUTHENTICATED, "Who calls is not known.");
    }

    /** The caller is known and has not the role. */
    public static Refusal forbidden() {
        return new Refusal(FORBIDDEN, "This caller may not call the service.");
    }

    /** The refusal that a service has sent; Unreadable for a word that is none of the codes. */
    public static RuntimeException received(String word, String message) {
        return Code.of(word, ALL).<RuntimeException>map(code -> new Refusal(code, message))
                .orElseGet(() -> new Unreadable("The code '" + word + "' is not known."));
    }
}
