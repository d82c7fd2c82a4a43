package org.middlemark.brokerage.soap;

import java.io.StringReader;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.xml.namespace.QName;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/** Reads a whole document that is well-formed XML 1.0 in UTF-8 and has no document type. */
final class XmlReader {
    private static final XMLInputFactory READERS = readers();
    private static final String BYTE_ORDER_MARK = "\uFEFF";

    private final Deque<Open> open = new ArrayDeque<>();
    private XmlElement root;

    private XmlReader() {
    }

    /** Says that bytes are no such document. */
    static final class NoDocument extends Exception {
        NoDocument(String why) {
            super(why);
        }

        NoDocument(Throwable cause) {
            super("it is not well-formed XML in UTF-8", cause);
        }
    }

    /** An element that has begun. */
    private record Open(QName name, Map<QName, String> attributes, List<XmlElement> children, StringBuilder text) {
    }

    /** The element that the document consists of. */
    static XmlElement read(byte[] document) throws NoDocument {
        try {
            String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(document)).toString();
            StringReader characters = new StringReader(text.startsWith(BYTE_ORDER_MARK) ? text.substring(1) : text);
            XMLStreamReader reader = READERS.createXMLStreamReader(characters);
            try {
                return new XmlReader().read(reader);
            } finally {
                reader.close();
            }
        } catch (XMLStreamException | CharacterCodingException malformed) {
            throw new NoDocument(malformed);
        }
    }

    private static XMLInputFactory readers() {
        XMLInputFactory factory = XMLInputFactory.newDefaultFactory();
        factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
        return factory;
    }

    private XmlElement read(XMLStreamReader reader) throws XMLStreamException, NoDocument {
        declaration(reader);
        while (reader.hasNext()) {
            switch (reader.next()) {
                case XMLStreamConstants.START_ELEMENT -> begin(reader);
                case XMLStreamConstants.END_ELEMENT -> end();
                case XMLStreamConstants.CHARACTERS, XMLStreamConstants.CDATA -> text(reader.getText());
                case XMLStreamConstants.DTD -> throw new NoDocument("it has a document type");
                case XMLStreamConstants.ENTITY_REFERENCE ->
                        throw new NoDocument("it has an entity that is not declared");
                default -> { /* comments, processing instructions and white space between elements mean nothing */ }
            }
        }
        return root;
    }

    private static void declaration(XMLStreamReader reader) throws NoDocument {
        String encoding = reader.getCharacterEncodingScheme();
        if (encoding != null && !"UTF-8".equalsIgnoreCase(encoding)) {
            throw new NoDocument("it says that it is not UTF-8");
        }
        if (reader.getVersion() != null && !"1.0".equals(reader.getVersion())) {
            throw new NoDocument("it says that it is not XML 1.0");
        }
    }

    private void begin(XMLStreamReader reader) {
        Map<QName, String> attributes = new HashMap<>();
        for (int i = 0; i < reader.getAttributeCount(); i++) {
            attributes.put(reader.getAttributeName(i), reader.getAttributeValue(i));
        }
        open.push(new Open(reader.getName(), attributes, new ArrayList<>(), new StringBuilder()));
    }

    private void end() {
        Open ended = open.pop();
        XmlElement element =
                new XmlElement(ended.name(), ended.attributes(), ended.children(), ended.text().toString());
        if (open.isEmpty()) {
            root = element;
        } else {
            open.peek().children().add(element);
        }
    }

    private void text(String text) {
        if (!open.isEmpty()) {
            open.peek().text().append(text);
        }
    }
}
