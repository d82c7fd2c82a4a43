package org.middlemark.brokerage.soap;

import jakarta.xml.soap.SOAPConstants;
import jakarta.xml.soap.SOAPException;
import jakarta.xml.soap.SOAPFactory;
import jakarta.xml.soap.SOAPFault;
import jakarta.xml.ws.soap.SOAPFaultException;
import javax.xml.namespace.QName;

/** Faults as JAX-WS takes them. */
final class SoapFaults {
    private SoapFaults() {
    }

    /** What an endpoint throws to answer {@code fault}. */
    static SOAPFaultException exception(SoapFault fault) {
        try {
            QName code = new QName(SOAPConstants.URI_NS_SOAP_1_1_ENVELOPE, fault.faultCode(), SoapNames.PREFIX);
            SOAPFault told = SOAPFactory.newInstance(SOAPConstants.SOAP_1_1_PROTOCOL)
                    .createFault(fault.refusal().getMessage(), code);
            told.addDetail().addChildElement(new QName("code")).addTextNode(fault.refusal().code().word());
            return new SOAPFaultException(told);
        } catch (SOAPException impossible) {
            throw new IllegalStateException("making a fault", impossible);
        }
    }
}
