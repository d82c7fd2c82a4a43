package org.middlemark.brokerage.soap;

import java.util.List;
import java.util.Map;
import javax.xml.namespace.QName;

/** An element of a message; {@code text} is all character data directly in it. */
record XmlElement(QName name, Map<QName, String> attributes, List<XmlElement> children, String text) {
    boolean is(QName other) {
        return name.equals(other);
    }

    /** The attribute's value without white space around it, the empty text without such an attribute. */
    String attribute(QName attribute) {
        return attributes.getOrDefault(attribute, "").strip();
    }
}
