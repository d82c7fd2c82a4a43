package org.middlemark.remoting.soap;

import jakarta.xml.bind.JAXBContext;
import jakarta.xml.bind.JAXBException;
import jakarta.xml.bind.Marshaller;
import jakarta.xml.bind.Unmarshaller;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import javax.xml.stream.XMLStreamWriter;
import org.middlemark.refusals.Refusal;
import org.middlemark.remoting.domain.Codes;
import org.middlemark.remoting.domain.Unreadable;
import org.middlemark.remoting.soap.wire.ObjectFactory;

/** SOAP 1.1 envelopes where no HTTP carries them: JAX-WS has no other transport. */
public final class Envelopes {
    private static final String SOAP = "http://schemas.xmlsoap.org/soap/envelope/";
    private static final String PREFIX = "soap";
    private static final String UTF_8 = StandardCharsets.UTF_8.name();
    private static final XMLOutputFactory OUTPUT = XMLOutputFactory.newDefaultFactory();
    private static final XMLInputFactory INPUT = input();
    private static final JAXBContext BEANS = beans();

    private Envelopes() {
    }

    /** Without entities and document types, which no message needs. */
    private static XMLInputFactory input() {
        XMLInputFactory factory = XMLInputFactory.newDefaultFactory();
        factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
        return factory;
    }

    private static JAXBContext beans() {
        try {
            return JAXBContext.newInstance(ObjectFactory.class);
        } catch (JAXBException impossible) {
            throw new IllegalStateException("the generated beans", impossible);
        }
    }

    /** Writes the content of a body. */
    @FunctionalInterface
    private interface Body {
        void write(XMLStreamWriter writer) throws XMLStreamException, JAXBException;
    }

    /** An envelope with a bean. */
    public static byte[] write(Object bean) {
        return envelope(writer -> {
            Marshaller marshaller = BEANS.createMarshaller();
            marshaller.setProperty(Marshaller.JAXB_FRAGMENT, true);
            marshaller.marshal(bean, writer);
        });
    }

    /** An envelope with the fault of a refusal. */
    public static byte[] write(Refusal refusal) {
        return envelope(writer -> {
            writer.writeStartElement(PREFIX, "Fault", SOAP);
            element(writer, "faultcode", PREFIX + (refusal.code().isFailure() ? ":Server" : ":Client"));
            element(writer, "faultstring", refusal.getMessage());
            writer.writeStartElement("detail");
            element(writer, "code", refusal.code().word());
            writer.writeEndElement();
            writer.writeEndElement();
        });
    }

    private static byte[] envelope(Body body) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            XMLStreamWriter writer = OUTPUT.createXMLStreamWriter(bytes, UTF_8);
            writer.writeStartDocument(UTF_8, "1.0");
            writer.writeStartElement(PREFIX, "Envelope", SOAP);
            writer.writeNamespace(PREFIX, SOAP);
            writer.writeStartElement(PREFIX, "Body", SOAP);
            body.write(writer);
            writer.writeEndDocument();
            writer.close();
        } catch (XMLStreamException | JAXBException impossible) {
            throw new IllegalStateException("writing an envelope", impossible);
        }
        return bytes.toByteArray();
    }

    private static void element(XMLStreamWriter writer, String name, String text) throws XMLStreamException {
        writer.writeStartElement(name);
        writer.writeCharacters(text);
        writer.writeEndElement();
    }

    /**
     * The bean of an envelope. A fault is its Refusal, also one without a code that blames the client, and anything
     * that is not as the contract has it Unreadable.
     */
    public static Object read(byte[] envelope) {
        try {
            XMLStreamReader reader = INPUT.createXMLStreamReader(new ByteArrayInputStream(envelope));
            reader.nextTag();
            reader.require(XMLStreamConstants.START_ELEMENT, SOAP, "Envelope");
            reader.nextTag();
            if ("Header".equals(reader.getLocalName())) {
                skip(reader);
                reader.nextTag();
            }
            reader.require(XMLStreamConstants.START_ELEMENT, SOAP, "Body");
            reader.nextTag();
            if (SOAP.equals(reader.getNamespaceURI()) && "Fault".equals(reader.getLocalName())) {
                throw fault(reader);
            }
            Unmarshaller unmarshaller = BEANS.createUnmarshaller();
            unmarshaller.setEventHandler(problem -> false);
            return unmarshaller.unmarshal(reader);
        } catch (XMLStreamException | JAXBException | IllegalStateException malformed) {
            throw unreadable();
        }
    }

    private static void skip(XMLStreamReader reader) throws XMLStreamException {
        int depth = 1;
        while (depth > 0) {
            int event = reader.next();
            if (event == XMLStreamConstants.START_ELEMENT) {
                depth++;
            } else if (event == XMLStreamConstants.END_ELEMENT) {
                depth--;
            }
        }
    }

    private static RuntimeException fault(XMLStreamReader reader) throws XMLStreamException {
        String code = "";
        String message = "";
        boolean blamesClient = false;
        while (reader.hasNext()) {
            if (reader.next() == XMLStreamConstants.START_ELEMENT) {
                switch (reader.getLocalName()) {
                    case "faultcode" -> blamesClient = ("s:" + reader.getElementText()).endsWith(":Client");
                    case "faultstring" -> message = reader.getElementText();
                    case "code" -> code = reader.getElementText();
                    default -> { } // nothing of it is asked for
                }
            }
        }
        return code.isEmpty() && blamesClient ? Refusal.invalid("The service cannot read the request.")
                : Codes.received(code, message);
    }

    private static Unreadable unreadable() {
        return new Unreadable("The message is not an envelope of the description.");
    }
}
