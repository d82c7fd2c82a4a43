package org.middlemark.brokerage.json;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.middlemark.brokerage.domain.Money;
import org.middlemark.brokerage.domain.Refusal;
import org.middlemark.brokerage.messages.Faults;
import org.middlemark.brokerage.messages.Key;
import org.middlemark.brokerage.messages.Shape;

/** Makes requests of JSON objects, and tells the first fault of their form. */
final class RequestReader {
    private RequestReader() {
    }

    /** The request of {@code type} that is written in {@code body}; a Refusal when it is none. */
    static <T extends Record> T read(byte[] body, Class<T> type) {
        Map<String, Object> object;
        try {
            object = JsonText.read(body);
        } catch (JsonText.NoObject malformed) {
            throw noObject();
        }
        Shape shape = Shape.of(type);
        List<Object> values = new ArrayList<>();
        Set<String> unknown = new HashSet<>(object.keySet());
        for (Key key : shape.keys()) {
            values.add(key.list() ? texts(key, object.get(key.name())) : value(key, object.get(key.name())));
            unknown.remove(key.name());
        }
        if (!unknown.isEmpty()) {
            throw Faults.unknown(unknown);
        }
        return type.cast(shape.message(values));
    }

    static Refusal noObject() {
        return Refusal.invalid("The request must be one JSON object.");
    }

    private static List<Object> texts(Key key, Object value) {
        if (present(key, value) instanceof List<?> list) {
            List<Object> texts = new ArrayList<>();
            list.forEach(element -> texts.add(text(key, element)));
            return texts;
        }
        throw Faults.noList(key);
    }

    private static Object value(Key key, Object value) {
        return switch (key.kind()) {
            case NUMBER -> number(key, value);
            case AMOUNT -> amount(key, value);
            default -> text(key, value);
        };
    }

    private static String text(Key key, Object value) {
        if (present(key, value) instanceof String text) {
            return text;
        }
        throw Faults.noText(key);
    }

    private static long number(Key key, Object value) {
        if (present(key, value) instanceof JsonText.Digits digits) {
            try {
                return Long.parseLong(digits.text());
            } catch (NumberFormatException fraction) {
                throw Faults.noWholeNumber(key);
            }
        }
        throw Faults.noWholeNumber(key);
    }

    private static BigDecimal amount(Key key, Object value) {
        if (present(key, value) instanceof String text) {
            return Money.sent(text).orElseThrow(Faults::noAmount);
        }
        throw Faults.noAmount();
    }

    private static Object present(Key key, Object value) {
        if (value == null) {
            throw Faults.missing(key);
        }
        return value;
    }
}
