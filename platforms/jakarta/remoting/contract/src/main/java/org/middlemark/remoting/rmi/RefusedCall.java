package org.middlemark.remoting.rmi;

import org.middlemark.refusals.Refusal;
import org.middlemark.remoting.domain.Codes;

/** A refusal on its way: the code and the message, and nothing of the service's insides. */
public class RefusedCall extends Exception {
    private final String code;

    public RefusedCall(Refusal refusal) {
        super(refusal.getMessage(), null, false, false);
        code = refusal.code().word();
    }

    /** The refusal at the other end. */
    public RuntimeException refusal() {
        return Codes.received(code, getMessage());
    }
}
