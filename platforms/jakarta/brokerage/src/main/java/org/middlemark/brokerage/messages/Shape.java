package org.middlemark.brokerage.messages;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.List;

/** The keys of a kind of message, in their order, and how to make one of their values. */
public final class Shape {
    private static final ClassValue<Shape> SHAPES = new ClassValue<>() {
        @Override
        protected Shape computeValue(Class<?> type) {
            return new Shape(type.asSubclass(Record.class));
        }
    };

    private final List<Key> keys;
    private final Constructor<? extends Record> constructor;

    private Shape(Class<? extends Record> type) {
        RecordComponent[] components = type.getRecordComponents();
        keys = Arrays.stream(components).map(Key::of).toList();
        try {
            constructor = type.getDeclaredConstructor(
                    Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new));
        } catch (NoSuchMethodException impossible) {
            throw new IllegalStateException(type + " has no canonical constructor", impossible);
        }
    }

    /** The shape of the messages that {@code type} holds; looked at once for each type. */
    public static Shape of(Class<? extends Record> type) {
        return SHAPES.get(type);
    }

    public List<Key> keys() {
        return keys;
    }

    /** Makes a message; {@code values} are in the order of {@link #keys()} and of their kinds. */
    public Record message(List<Object> values) {
        try {
            return constructor.newInstance(values.toArray());
        } catch (InstantiationException | IllegalAccessException | InvocationTargetException failure) {
            throw new IllegalStateException("making a " + constructor.getDeclaringClass().getSimpleName(), failure);
        }
    }
}
