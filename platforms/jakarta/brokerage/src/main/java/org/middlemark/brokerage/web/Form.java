package org.middlemark.brokerage.web;

import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.middlemark.brokerage.domain.Refusal;

/**
 * What a browser has sent: the values of a POST's body or of a GET's query, read strictly, which the container's own
 * parameters are not (it guesses what is malformed, and mixes body and query).
 */
final class Form {
    private static final String TYPE = "application/x-www-form-urlencoded";
    private static final int LARGEST = 64 * 1024;
    private static final int HEXADECIMAL = 16;
    private static final int ESCAPE = 3;

    private final Map<String, String> values = new HashMap<>();

    private Form() {
    }

    /** Reads the values; refused when they cannot be read. */
    static Form read(HttpServletRequest request) throws IOException {
        if (!"POST".equals(request.getMethod())) {
            String query = request.getQueryString();
            return parse(query == null ? "" : query);
        }
        byte[] body = request.getInputStream().readNBytes(LARGEST + 1);
        if (body.length > LARGEST) {
            throw unreadable();
        }
        String type = request.getContentType();
        boolean form = type != null && TYPE.equalsIgnoreCase(type.split(";", 2)[0].strip());
        return parse(form ? new String(body, StandardCharsets.ISO_8859_1) : "");
    }

    /** Reads percent-encoded values; each character of the text is a byte. */
    static Form parse(String encoded) {
        Form form = new Form();
        for (String pair : encoded.split("&")) {
            String[] sides = pair.split("=", 2);
            String value = sides.length > 1 ? sides[1] : "";
            form.values.putIfAbsent(decode(sides[0].replace('+', ' ')), decode(value.replace('+', ' ')));
        }
        return form;
    }

    /** The first value with the name; the empty text without. */
    String value(String name) {
        return values.getOrDefault(name, "");
    }

    /** Undoes percent-encoding; refused unless bytes of UTF-8 come out of it. */
    static String decode(String encoded) {
        ByteBuffer bytes = ByteBuffer.allocate(encoded.length());
        for (int i = 0; i < encoded.length(); i++) {
            char character = encoded.charAt(i);
            if (character > 0xff) {
                throw unreadable();
            }
            if (character == '%') {
                bytes.put(escaped(encoded, i));
                i += ESCAPE - 1;
            } else {
                bytes.put((byte) character);
            }
        }
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(bytes.flip()).toString();
        } catch (CharacterCodingException malformed) {
            throw unreadable();
        }
    }

    private static byte escaped(String encoded, int position) {
        if (position + ESCAPE > encoded.length()) {
            throw unreadable();
        }
        int high = Character.digit(encoded.charAt(position + 1), HEXADECIMAL);
        int low = Character.digit(encoded.charAt(position + 2), HEXADECIMAL);
        if (high < 0 || low < 0) {
            throw unreadable();
        }
        return (byte) (high * HEXADECIMAL + low);
    }

    private static Refusal unreadable() {
        return Refusal.invalid("The form cannot be read.");
    }
}
