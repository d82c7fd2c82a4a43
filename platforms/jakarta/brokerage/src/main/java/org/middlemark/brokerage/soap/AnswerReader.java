package org.middlemark.brokerage.soap;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.middlemark.brokerage.domain.Money;
import org.middlemark.brokerage.messages.Key;
import org.middlemark.brokerage.messages.Shape;
import org.middlemark.brokerage.messages.WrittenTimes;
import org.middlemark.brokerage.messages.WrongAnswer;

/** Makes answers of elements; one that the description does not allow is a WrongAnswer. */
final class AnswerReader {
    private static final Map<String, Boolean> FLAGS = Map.of("true", true, "1", true, "false", false, "0", false);

    private final Iterator<XmlElement> elements;
    private XmlElement next;

    private AnswerReader(XmlElement element) {
        elements = element.children().iterator();
        advance();
    }

    /** The answer of {@code type} that is in {@code element}. */
    static Record read(XmlElement element, Class<? extends Record> type) {
        AnswerReader reader = new AnswerReader(element);
        Shape shape = Shape.of(type);
        List<Object> values = new ArrayList<>();
        for (Key key : shape.keys()) {
            values.add(key.list() ? reader.list(key) : reader.one(key));
        }
        if (reader.next != null) {
            throw new WrongAnswer("the element " + reader.next.name() + " is unknown or in the wrong place");
        }
        return shape.message(values);
    }

    private void advance() {
        next = elements.hasNext() ? elements.next() : null;
    }

    private boolean isNext(Key key) {
        return next != null && next.is(SoapNames.brokerage(key.name()));
    }

    private List<Object> list(Key key) {
        List<Object> values = new ArrayList<>();
        while (isNext(key)) {
            values.add(value(key, next));
            advance();
        }
        return List.copyOf(values);
    }

    private Object one(Key key) {
        if (!isNext(key)) {
            if (key.optional()) {
                return null;
            }
            throw new WrongAnswer("the element " + key.name() + " is missing or in the wrong place");
        }
        Object value = value(key, next);
        advance();
        return value;
    }

    private static Object value(Key key, XmlElement element) {
        if (key.kind() == Key.Kind.MESSAGE) {
            return read(element, key.type());
        }
        if (!element.children().isEmpty()) {
            throw wrong(key);
        }
        String text = element.text();
        return switch (key.kind()) {
            case NUMBER -> number(key, text.strip());
            case AMOUNT -> Money.sent(text.strip()).orElseThrow(() -> wrong(key));
            case TIME -> WrittenTimes.read(text.strip()).orElseThrow(() -> wrong(key));
            case FLAG -> flag(key, text.strip());
            default -> text;
        };
    }

    private static long number(Key key, String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException fraction) {
            throw wrong(key);
        }
    }

    private static boolean flag(Key key, String text) {
        Boolean flag = FLAGS.get(text);
        if (flag == null) {
            throw wrong(key);
        }
        return flag;
    }

    private static WrongAnswer wrong(Key key) {
        return new WrongAnswer("the value of " + key.name() + " is not what it must be");
    }
}
