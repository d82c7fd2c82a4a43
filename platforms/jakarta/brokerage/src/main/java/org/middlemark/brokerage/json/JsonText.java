package org.middlemark.brokerage.json;

import jakarta.json.spi.JsonProvider;
import jakarta.json.stream.JsonParser;
import java.io.StringReader;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reads one JSON object strictly: as maps, lists, texts, {@link Digits}, truth values and null. */
final class JsonText {
    /** How deep values may lie in one another; no message needs more than three. */
    private static final int DEEPEST = 100;
    private static final JsonProvider JSON = JsonProvider.provider();

    private final JsonParser parser;

    private JsonText(JsonParser parser) {
        this.parser = parser;
    }

    /** A number as it was written: whether it has a point or an exponent is lost in any other form. */
    record Digits(String text) {
    }

    /** Says that a text is not what it must be; what it is instead, nobody is told. */
    static final class NoObject extends Exception {
        NoObject(String why, Throwable cause) {
            super(why, cause);
        }
    }

    /** The object that {@code bytes} are, which is all they are but white space. */
    static Map<String, Object> read(byte[] bytes) throws NoObject {
        try (JsonParser parser = JSON.createParser(new StringReader(decoded(bytes)))) {
            if (!parser.hasNext() || parser.next() != JsonParser.Event.START_OBJECT) {
                throw new NoObject("the text does not begin with an object", null);
            }
            Map<String, Object> object = new JsonText(parser).object(1);
            if (parser.hasNext()) {
                throw new NoObject("there is more behind the object", null);
            }
            return object;
        } catch (RuntimeException malformed) { // parsers differ in the exceptions by which they refuse a text
            throw new NoObject("the text is no JSON", malformed);
        } catch (CharacterCodingException undecodable) {
            throw new NoObject("the text is not UTF-8", undecodable);
        }
    }

    private static String decoded(byte[] bytes) throws CharacterCodingException {
        return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    }

    private Map<String, Object> object(int depth) throws NoObject {
        Map<String, Object> object = new HashMap<>();
        for (JsonParser.Event event = parser.next(); event != JsonParser.Event.END_OBJECT; event = parser.next()) {
            String name = whole(parser.getString());
            object.put(name, value(parser.next(), depth));
        }
        return object;
    }

    private List<Object> list(int depth) throws NoObject {
        List<Object> list = new ArrayList<>();
        for (JsonParser.Event event = parser.next(); event != JsonParser.Event.END_ARRAY; event = parser.next()) {
            list.add(value(event, depth));
        }
        return list;
    }

    private Object value(JsonParser.Event event, int depth) throws NoObject {
        if (depth > DEEPEST) {
            throw new NoObject("values lie too deep in one another", null);
        }
        return switch (event) {
            case START_OBJECT -> object(depth + 1);
            case START_ARRAY -> list(depth + 1);
            case VALUE_STRING -> whole(parser.getString());
            case VALUE_NUMBER -> new Digits(parser.getString());
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            case VALUE_NULL -> null;
            default -> throw new NoObject("there is no value where one must be", null);
        };
    }

    /** The text, unless it has half a surrogate pair, which is no character. */
    private static String whole(String text) throws NoObject {
        Optional<Integer> half = text.codePoints().boxed()
                .filter(point -> point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE).findAny();
        if (half.isPresent()) {
            throw new NoObject("the text has half a surrogate pair", null);
        }
        return text;
    }
}
