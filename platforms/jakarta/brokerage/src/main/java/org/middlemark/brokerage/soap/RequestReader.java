package org.middlemark.brokerage.soap;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.middlemark.brokerage.domain.Money;
import org.middlemark.brokerage.messages.Faults;
import org.middlemark.brokerage.messages.Key;
import org.middlemark.brokerage.messages.Operation;
import org.middlemark.brokerage.messages.Shape;

/** Makes requests of elements, and tells the first fault of their form. */
final class RequestReader {
    private static final String TRUE = "true";

    private final List<XmlElement> left;

    private RequestReader(XmlElement element) {
        left = new ArrayList<>(element.children());
    }

    /** The operation that an element asks for. */
    static Operation operation(XmlElement element) {
        String name = element.name().getLocalPart();
        return Operation.of(name).filter(operation -> element.is(SoapNames.brokerage(name)))
                .orElseThrow(() -> Operation.unknown(name));
    }

    /** The request of {@code operation} that is in {@code element}; a Refusal when it is none. */
    static Record read(Operation operation, XmlElement element) {
        RequestReader reader = new RequestReader(element);
        Shape shape = Shape.of(operation.request());
        List<Object> values = new ArrayList<>();
        for (Key key : shape.keys()) {
            values.add(key.list() ? reader.texts(key) : reader.value(key));
        }
        if (!reader.left.isEmpty()) {
            Set<String> unknown = new HashSet<>();
            reader.left.forEach(child -> unknown.add(child.name().getLocalPart()));
            throw Faults.unknown(unknown);
        }
        return shape.message(values);
    }

    private List<Object> texts(Key key) {
        List<Object> texts = new ArrayList<>();
        for (XmlElement element = next(key); element != null; element = next(key)) {
            texts.add(text(key, element));
        }
        return texts;
    }

    private Object value(Key key) {
        XmlElement element = next(key);
        return switch (key.kind()) {
            case NUMBER -> number(key, element);
            case AMOUNT -> amount(key, element);
            default -> text(key, element);
        };
    }

    /** Takes the first element of the key that is left; null without one. */
    private XmlElement next(Key key) {
        for (XmlElement element : left) {
            if (element.is(SoapNames.brokerage(key.name()))) {
                left.remove(element);
                return element;
            }
        }
        return null;
    }

    private static String text(Key key, XmlElement element) {
        if (!present(key, element).children().isEmpty()) {
            throw Faults.noText(key);
        }
        return element.text();
    }

    private static long number(Key key, XmlElement element) {
        try {
            if (present(key, element).children().isEmpty()) {
                return Long.parseLong(trimmed(element));
            }
        } catch (NumberFormatException fraction) {
            throw Faults.noWholeNumber(key);
        }
        throw Faults.noWholeNumber(key);
    }

    private static BigDecimal amount(Key key, XmlElement element) {
        if (!present(key, element).children().isEmpty()) {
            throw Faults.noAmount();
        }
        return Money.sent(trimmed(element)).orElseThrow(Faults::noAmount);
    }

    private static XmlElement present(Key key, XmlElement element) {
        if (element == null || TRUE.equals(element.attribute(SoapNames.NIL))) {
            throw Faults.missing(key);
        }
        return element;
    }

    private static String trimmed(XmlElement element) {
        return element.text().strip();
    }
}
