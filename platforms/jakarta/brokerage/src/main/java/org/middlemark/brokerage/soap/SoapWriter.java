package org.middlemark.brokerage.soap;

import java.io.StringWriter;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.List;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;
import org.middlemark.brokerage.domain.Money;
import org.middlemark.brokerage.messages.Key;
import org.middlemark.brokerage.messages.Operation;
import org.middlemark.brokerage.messages.Shape;

/** Writes requests and faults as envelopes. */
final class SoapWriter {
    private static final XMLOutputFactory WRITERS = XMLOutputFactory.newDefaultFactory();
    private static final String TYPES_PREFIX = "m";

    private final XMLStreamWriter writer;

    private SoapWriter(XMLStreamWriter writer) {
        this.writer = writer;
    }

    /** What is in a body. */
    @FunctionalInterface
    private interface Content {
        void write(SoapWriter writer) throws XMLStreamException;
    }

    /** The envelope that asks for {@code operation}. */
    static byte[] request(Operation operation, Record request) {
        return envelope(soap -> {
            soap.writer.writeStartElement(TYPES_PREFIX, operation.operationName(), SoapNames.BROKERAGE);
            soap.writer.writeNamespace(TYPES_PREFIX, SoapNames.BROKERAGE);
            for (Key key : Shape.of(request.getClass()).keys()) {
                soap.value(key, key.value(request));
            }
            soap.writer.writeEndElement();
        });
    }

    /** The envelope that tells a fault. */
    static byte[] fault(SoapFault fault) {
        return envelope(soap -> {
            soap.writer.writeStartElement(SoapNames.PREFIX, SoapNames.FAULT.getLocalPart(), SoapNames.SOAP);
            soap.text("faultcode", SoapNames.PREFIX + ":" + fault.faultCode());
            soap.text("faultstring", fault.refusal().getMessage());
            soap.writer.writeStartElement("detail");
            soap.text("code", fault.refusal().code().word());
            soap.writer.writeEndElement();
            soap.writer.writeEndElement();
        });
    }

    private static byte[] envelope(Content content) {
        StringWriter text = new StringWriter();
        try {
            XMLStreamWriter writer = WRITERS.createXMLStreamWriter(text);
            writer.writeStartElement(SoapNames.PREFIX, SoapNames.ENVELOPE.getLocalPart(), SoapNames.SOAP);
            writer.writeNamespace(SoapNames.PREFIX, SoapNames.SOAP);
            writer.writeStartElement(SoapNames.PREFIX, SoapNames.BODY.getLocalPart(), SoapNames.SOAP);
            content.write(new SoapWriter(writer));
            writer.writeEndElement();
            writer.writeEndElement();
            writer.close();
        } catch (XMLStreamException impossible) {
            throw new IllegalStateException("writing an envelope", impossible);
        }
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    private void value(Key key, Object value) throws XMLStreamException {
        if (value instanceof List<?> list) {
            for (Object element : list) {
                value(key, element);
            }
            return;
        }
        writer.writeStartElement(TYPES_PREFIX, key.name(), SoapNames.BROKERAGE);
        writer.writeCharacters(value instanceof BigDecimal amount ? Money.text(amount) : value.toString());
        writer.writeEndElement();
    }

    private void text(String name, String text) throws XMLStreamException {
        writer.writeStartElement(name);
        writer.writeCharacters(text);
        writer.writeEndElement();
    }
}
