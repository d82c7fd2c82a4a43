package org.middlemark.remoting.tables;

import java.io.StringReader;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import javax.xml.stream.XMLStreamWriter;
import org.middlemark.remoting.domain.TableSet;
import org.middlemark.remoting.domain.TableSet.Column;
import org.middlemark.remoting.domain.TableSet.Table;
import org.middlemark.remoting.domain.Unreadable;

/** Table sets as documents by tables.xsd. */
public final class TableDocuments {
    private static final String NAMESPACE = "urn:middlemark:tables";
    private static final XMLOutputFactory OUTPUT = XMLOutputFactory.newDefaultFactory();
    private static final XMLInputFactory INPUT = input();

    private TableDocuments() {
    }

    /** Without entities and document types, which no message needs. */
    private static XMLInputFactory input() {
        XMLInputFactory factory = XMLInputFactory.newDefaultFactory();
        factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
        return factory;
    }

    /** A set as a document. */
    public static String write(TableSet tables) {
        StringWriter text = new StringWriter();
        try {
            XMLStreamWriter writer = OUTPUT.createXMLStreamWriter(text);
            writer.writeStartElement("tableSet");
            writer.writeDefaultNamespace(NAMESPACE);
            for (Table table : tables.tables()) {
                write(writer, table);
            }
            writer.writeEndElement();
            writer.close();
        } catch (XMLStreamException impossible) {
            throw new IllegalStateException("writing a table set", impossible);
        }
        return text.toString();
    }

    private static void write(XMLStreamWriter writer, Table table) throws XMLStreamException {
        writer.writeStartElement("table");
        writer.writeAttribute("name", table.name());
        for (Column column : table.columns()) {
            writer.writeEmptyElement("column");
            writer.writeAttribute("name", column.name());
            writer.writeAttribute("type", column.type());
        }
        for (List<String> row : table.rows()) {
            writer.writeStartElement("row");
            for (String value : row) {
                write(writer, value);
            }
            writer.writeEndElement();
        }
        writer.writeEndElement();
    }

    private static void write(XMLStreamWriter writer, String value) throws XMLStreamException {
        if (value == null) {
            writer.writeEmptyElement("null");
        } else {
            writer.writeStartElement("value");
            writer.writeCharacters(value);
            writer.writeEndElement();
        }
    }

    /** Reads a document; Unreadable when it is not one by tables.xsd. */
    public static TableSet read(String document) {
        try {
            XMLStreamReader reader = INPUT.createXMLStreamReader(new StringReader(document));
            reader.nextTag();
            reader.require(XMLStreamConstants.START_ELEMENT, NAMESPACE, "tableSet");
            List<Table> tables = new ArrayList<>();
            while (reader.nextTag() == XMLStreamConstants.START_ELEMENT) {
                reader.require(XMLStreamConstants.START_ELEMENT, NAMESPACE, "table");
                tables.add(readTable(reader));
            }
            while (reader.hasNext()) {
                reader.next();
            }
            return checked(tables);
        } catch (XMLStreamException malformed) {
            throw unreadable();
        }
    }

    private static Table readTable(XMLStreamReader reader) throws XMLStreamException {
        String name = reader.getAttributeValue(null, "name");
        List<Column> columns = new ArrayList<>();
        List<List<String>> rows = new ArrayList<>();
        while (reader.nextTag() == XMLStreamConstants.START_ELEMENT) {
            if (rows.isEmpty() && isElement(reader, "column")) {
                columns.add(new Column(reader.getAttributeValue(null, "name"),
                        reader.getAttributeValue(null, "type")));
                reader.nextTag();
                reader.require(XMLStreamConstants.END_ELEMENT, NAMESPACE, "column");
            } else {
                reader.require(XMLStreamConstants.START_ELEMENT, NAMESPACE, "row");
                rows.add(readRow(reader));
            }
        }
        return new Table(name, columns, rows);
    }

    private static List<String> readRow(XMLStreamReader reader) throws XMLStreamException {
        List<String> values = new ArrayList<>();
        while (reader.nextTag() == XMLStreamConstants.START_ELEMENT) {
            if (isElement(reader, "null")) {
                values.add(null);
                reader.nextTag();
                reader.require(XMLStreamConstants.END_ELEMENT, NAMESPACE, "null");
            } else {
                reader.require(XMLStreamConstants.START_ELEMENT, NAMESPACE, "value");
                values.add(reader.getElementText());
            }
        }
        return Collections.unmodifiableList(values);
    }

    private static boolean isElement(XMLStreamReader reader, String name) {
        return NAMESPACE.equals(reader.getNamespaceURI()) && name.equals(reader.getLocalName());
    }

    /**
     * A set of tables with names and described columns, and a value for each column in every row; Unreadable for any
     * other one.
     */
    public static TableSet checked(List<Table> tables) {
        if (tables.isEmpty() || !tables.stream().allMatch(TableDocuments::isComplete)) {
            throw unreadable();
        }
        return new TableSet(tables);
    }

    private static boolean isComplete(Table table) {
        return table.name() != null && !table.columns().isEmpty()
                && table.columns().stream().allMatch(column -> column.name() != null && column.type() != null)
                && table.rows().stream().allMatch(row -> row.size() == table.columns().size());
    }

    private static Unreadable unreadable() {
        return new Unreadable("The table set is not a document by tables.xsd.");
    }
}
