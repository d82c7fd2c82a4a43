package org.middlemark.brokerage.messages;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.time.Instant;

/**
 * One key of a message: a component of its record.
 *
 * @param name as it is written in a message
 * @param kind of the value, or of each value in a list
 * @param type the record's class where the kind is a message, else null
 * @param list whether there is a list of such values
 * @param optional whether there may be no value
 */
public record Key(String name, Kind kind, Class<? extends Record> type, boolean list, boolean optional,
        RecordComponent component) {

    /** What a value is. */
    public enum Kind {
        TEXT, NUMBER, AMOUNT, TIME, FLAG, MESSAGE;

        private static Kind of(Class<?> type) {
            if (type == String.class) {
                return TEXT;
            }
            if (type == long.class || type == Long.class) {
                return NUMBER;
            }
            if (type == BigDecimal.class) {
                return AMOUNT;
            }
            if (type == Instant.class) {
                return TIME;
            }
            if (type == boolean.class) {
                return FLAG;
            }
            if (type.isRecord()) {
                return MESSAGE;
            }
            throw new IllegalArgumentException("a message has no values of " + type);
        }
    }

    static Key of(RecordComponent component) {
        boolean list = component.getGenericType() instanceof ParameterizedType;
        Class<?> type = list ? element(component.getGenericType()) : component.getType();
        Kind kind = Kind.of(type);
        component.getAccessor().setAccessible(true);
        return new Key(component.getName(), kind, kind == Kind.MESSAGE ? type.asSubclass(Record.class) : null, list,
                component.isAnnotationPresent(MayBeMissing.class), component);
    }

    private static Class<?> element(Type list) {
        return (Class<?>) ((ParameterizedType) list).getActualTypeArguments()[0];
    }

    /** The value of the key in {@code message}, which is of the record that has it. */
    public Object value(Record message) {
        try {
            return component.getAccessor().invoke(message);
        } catch (InvocationTargetException | IllegalAccessException failure) {
            throw new IllegalStateException("reading " + name + " of " + message.getClass(), failure);
        }
    }
}
