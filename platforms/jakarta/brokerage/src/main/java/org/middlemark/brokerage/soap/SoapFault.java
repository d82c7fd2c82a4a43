package org.middlemark.brokerage.soap;

import org.middlemark.brokerage.domain.Code;
import org.middlemark.brokerage.domain.Refusal;

/** A refusal as a fault; the fault code is without its prefix. */
record SoapFault(String faultCode, Refusal refusal) {
    private static final String MUST_UNDERSTAND = "MustUnderstand";

    static SoapFault of(Refusal refusal) {
        return new SoapFault(faultCode(refusal.code()), refusal);
    }

    /** The fault that a header's sender insists on being understood. */
    static SoapFault notUnderstood(XmlElement header) {
        return new SoapFault(MUST_UNDERSTAND,
                Refusal.invalid("The header " + header.name().getLocalPart() + " is not understood."));
    }

    /** Who has to mend what is told by a code. */
    static String faultCode(Code code) {
        return code.isFailure() ? "Server" : "Client";
    }
}
