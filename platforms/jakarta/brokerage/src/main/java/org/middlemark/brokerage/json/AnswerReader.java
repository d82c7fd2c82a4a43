package org.middlemark.brokerage.json;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.middlemark.brokerage.domain.Money;
import org.middlemark.brokerage.messages.Key;
import org.middlemark.brokerage.messages.Shape;
import org.middlemark.brokerage.messages.WrittenTimes;
import org.middlemark.brokerage.messages.WrongAnswer;

/** Makes answers of JSON objects; one that its description does not allow is a WrongAnswer. */
final class AnswerReader {
    private AnswerReader() {
    }

    /** The answer of {@code type} that is written in {@code body}. */
    static <T extends Record> T read(byte[] body, Class<T> type) {
        return type.cast(message(object(body), type));
    }

    /** The object that {@code body} is. */
    static Map<String, Object> object(byte[] body) {
        try {
            return JsonText.read(body);
        } catch (JsonText.NoObject malformed) {
            throw new WrongAnswer("the body is no JSON object", malformed);
        }
    }

    private static Record message(Map<?, ?> object, Class<? extends Record> type) {
        Shape shape = Shape.of(type);
        if (object.size() > shape.keys().size()) {
            throw new WrongAnswer("there are keys that " + type.getSimpleName() + " does not have");
        }
        List<Object> values = new ArrayList<>();
        for (Key key : shape.keys()) {
            if (!object.containsKey(key.name())) {
                throw new WrongAnswer("the key " + key.name() + " is missing");
            }
            Object value = object.get(key.name());
            values.add(key.list() ? list(key, value) : value(key, value));
        }
        return shape.message(values);
    }

    private static List<Object> list(Key key, Object value) {
        if (value instanceof List<?> list) {
            List<Object> values = new ArrayList<>();
            list.forEach(element -> values.add(value(key, element)));
            return List.copyOf(values);
        }
        throw wrong(key);
    }

    private static Object value(Key key, Object value) {
        if (value == null && key.optional()) {
            return null;
        }
        return switch (key.kind()) {
            case TEXT -> of(String.class, key, value);
            case NUMBER -> number(key, value);
            case AMOUNT -> amount(key, value);
            case TIME -> time(key, value);
            case FLAG -> of(Boolean.class, key, value);
            case MESSAGE -> message(of(Map.class, key, value), key.type());
        };
    }

    private static long number(Key key, Object value) {
        try {
            return Long.parseLong(of(JsonText.Digits.class, key, value).text());
        } catch (NumberFormatException fraction) {
            throw wrong(key);
        }
    }

    private static BigDecimal amount(Key key, Object value) {
        return Money.sent(of(String.class, key, value)).orElseThrow(() -> wrong(key));
    }

    private static Instant time(Key key, Object value) {
        return WrittenTimes.read(of(String.class, key, value)).orElseThrow(() -> wrong(key));
    }

    private static <T> T of(Class<T> type, Key key, Object value) {
        if (type.isInstance(value)) {
            return type.cast(value);
        }
        throw wrong(key);
    }

    private static WrongAnswer wrong(Key key) {
        return new WrongAnswer("the value of " + key.name() + " is not what it must be");
    }
}
