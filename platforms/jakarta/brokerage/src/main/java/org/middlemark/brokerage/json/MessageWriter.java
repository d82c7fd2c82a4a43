package org.middlemark.brokerage.json;

import jakarta.json.spi.JsonProvider;
import jakarta.json.stream.JsonGenerator;
import jakarta.json.stream.JsonGeneratorFactory;
import java.io.OutputStream;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.middlemark.brokerage.domain.Money;
import org.middlemark.brokerage.messages.Key;
import org.middlemark.brokerage.messages.Shape;
import org.middlemark.brokerage.messages.WrittenTimes;

/** Writes messages as JSON objects in UTF-8. */
final class MessageWriter {
    private static final JsonGeneratorFactory GENERATORS = JsonProvider.provider().createGeneratorFactory(Map.of());

    private final JsonGenerator generator;

    private MessageWriter(JsonGenerator generator) {
        this.generator = generator;
    }

    /** Writes {@code message} and closes {@code out}. */
    static void write(Record message, OutputStream out) {
        try (JsonGenerator generator = GENERATORS.createGenerator(out, StandardCharsets.UTF_8)) {
            new MessageWriter(generator).object(message);
        }
    }

    private void object(Record message) {
        generator.writeStartObject();
        for (Key key : Shape.of(message.getClass()).keys()) {
            generator.writeKey(key.name());
            Object value = key.value(message);
            if (value instanceof List<?> list) {
                generator.writeStartArray();
                list.forEach(this::value);
                generator.writeEnd();
            } else {
                value(value);
            }
        }
        generator.writeEnd();
    }

    private void value(Object value) {
        if (value == null) {
            generator.writeNull();
        } else if (value instanceof Record message) {
            object(message);
        } else if (value instanceof BigDecimal amount) {
            generator.write(Money.text(amount));
        } else if (value instanceof Instant time) {
            generator.write(WrittenTimes.text(time));
        } else if (value instanceof Long number) {
            generator.write(number.longValue());
        } else if (value instanceof Boolean flag) {
            generator.write(flag.booleanValue());
        } else {
            generator.write((String) value);
        }
    }
}
