package org.middlemark.brokerage.soap;

import java.util.List;

/** A SOAP 1.1 envelope with exactly one element in its body. */
record SoapEnvelope(List<XmlElement> headers, XmlElement content) {

    /** Reads an envelope; NoDocument when {@code document} is none. */
    static SoapEnvelope read(byte[] document) throws XmlReader.NoDocument {
        XmlElement envelope = XmlReader.read(document);
        if (!envelope.is(SoapNames.ENVELOPE)) {
            throw new XmlReader.NoDocument("it is no SOAP 1.1 envelope");
        }
        List<XmlElement> parts = envelope.children();
        boolean header = !parts.isEmpty() && parts.get(0).is(SoapNames.HEADER);
        List<XmlElement> rest = header ? parts.subList(1, parts.size()) : parts;
        if (rest.isEmpty() || !rest.get(0).is(SoapNames.BODY) || rest.get(0).children().size() != 1) {
            throw new XmlReader.NoDocument("it has no body with exactly one element");
        }
        if (rest.stream().skip(1).anyMatch(part -> SoapNames.SOAP.equals(part.name().getNamespaceURI()))) {
            throw new XmlReader.NoDocument("it has more than a header and a body");
        }
        return new SoapEnvelope(header ? parts.get(0).children() : List.of(), rest.get(0).children().get(0));
    }
}
