package org.middlemark.brokerage.soap;

import jakarta.xml.soap.Detail;
import jakarta.xml.soap.SOAPConstants;
import jakarta.xml.soap.SOAPElement;
import jakarta.xml.soap.SOAPException;
import jakarta.xml.soap.SOAPFactory;
import jakarta.xml.soap.SOAPFault;
import jakarta.xml.ws.soap.SOAPFaultException;
import java.util.Collections;
import java.util.Iterator;
import javax.xml.namespace.QName;
import org.middlemark.brokerage.domain.Code;
import org.middlemark.brokerage.domain.Refusal;

/** Between refusals and SOAP faults, whose detail has the code. */
final class SoapFaults {
    private static final QName CODE = new QName("code");

    private SoapFaults() {
    }

    /** What an endpoint throws to be answered as a fault. */
    static SOAPFaultException exception(Refusal refusal) {
        try {
            String sender = refusal.code().isFailure() ? "Server" : "Client";
            SOAPFault fault = SOAPFactory.newInstance(SOAPConstants.SOAP_1_1_PROTOCOL).createFault(
                    refusal.getMessage(), new QName(SOAPConstants.URI_NS_SOAP_1_1_ENVELOPE, sender, "soap"));
            fault.addDetail().addChildElement(CODE).addTextNode(refusal.code().word());
            return new SOAPFaultException(fault);
        } catch (SOAPException impossible) {
            throw new IllegalStateException("making a fault", impossible);
        }
    }

    /** The refusal that a fault tells; the exception itself when it tells none. */
    static RuntimeException refusal(SOAPFaultException failure) {
        Detail detail = failure.getFault().getDetail();
        Iterator<?> codes = detail == null ? Collections.emptyIterator() : detail.getChildElements(CODE);
        String word = codes.hasNext() ? ((SOAPElement) codes.next()).getTextContent() : "";
        return Code.of(word).<RuntimeException>map(code -> new Refusal(code, failure.getFault().getFaultString()))
                .orElse(failure);
    }
}
