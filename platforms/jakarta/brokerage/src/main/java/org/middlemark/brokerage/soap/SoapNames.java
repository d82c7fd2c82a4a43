package org.middlemark.brokerage.soap;

import javax.xml.namespace.QName;

/** The names of SOAP 1.1 and of the brokerage's description. */
final class SoapNames {
    static final String SOAP = "http://schemas.xmlsoap.org/soap/envelope/";
    static final String BROKERAGE = "urn:middlemark:brokerage:1";

    static final QName ENVELOPE = new QName(SOAP, "Envelope");
    static final QName HEADER = new QName(SOAP, "Header");
    static final QName BODY = new QName(SOAP, "Body");
    static final QName FAULT = new QName(SOAP, "Fault");
    static final QName MUST_UNDERSTAND = new QName(SOAP, "mustUnderstand");
    static final QName NIL = new QName("http://www.w3.org/2001/XMLSchema-instance", "nil");

    static final String PREFIX = "soap";
    static final String PATH = "/services/soap";
    static final String CONTENT_TYPE = "text/xml; charset=utf-8";
    static final String RESPONSE = "Response";

    private SoapNames() {
    }

    /** A name of the description. */
    static QName brokerage(String name) {
        return new QName(BROKERAGE, name);
    }
}
