package org.middlemark.soap;

import jakarta.xml.soap.Detail;
import jakarta.xml.soap.SOAPConstants;
import jakarta.xml.soap.SOAPElement;
import jakarta.xml.soap.SOAPException;
import jakarta.xml.soap.SOAPFactory;
import jakarta.xml.soap.SOAPFault;
import jakarta.xml.ws.soap.SOAPFaultException;
import java.util.Collection;
import java.util.Collections;
import java.util.Iterator;
import javax.xml.namespace.QName;
import org.middlemark.refusals.Code;
import org.middlemark.refusals.Refusal;

/** Between refusals and SOAP faults, whose detail has the code. */
public final class SoapFaults {
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

    /** The refusal that a fault names by one of the codes; the exception itself when it names none of them. */
    public static RuntimeException refusal(SOAPFaultException failure, Collection<Code> codes) {
        Detail detail = failure.getFault().getDetail();
        Iterator<?> named = detail == null ? Collections.emptyIterator() : detail.getChildElements(CODE);
        String word = named.hasNext() ? ((SOAPElement) named.next()).getTextContent() : "";
        String message = failure.getFault().getFaultString();
        return Code.of(word, codes).<RuntimeException>map(code -> new Refusal(code, message)).orElse(failure);
    }
}
