package org.middlemark.settings;

import java.util.Arrays;
import java.util.Map;
import java.util.OptionalInt;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Reads environment variables; one with the empty text is missing. */
public final class Variables {
    private static final int LAST_PORT = 65_535;

    private final Map<String, String> values;

    public Variables(Map<String, String> values) {
        this.values = values;
    }

    /** The value, or the default when it is missing. */
    public String text(String name, String otherwise) {
        String value = values.getOrDefault(name, "");
        return value.isEmpty() ? otherwise : value;
    }

    /** A whole number that is not less than {@code least}. */
    public int number(String name, int otherwise, int least) {
        return inRange(name, text(name, Integer.toString(otherwise)), least, Integer.MAX_VALUE);
    }

    /** A port. */
    public int port(String name, int otherwise) {
        return inRange(name, text(name, Integer.toString(otherwise)), 1, LAST_PORT);
    }

    /** A port, or none. */
    public OptionalInt port(String name) {
        String value = text(name, "");
        return value.isEmpty() ? OptionalInt.empty() : OptionalInt.of(inRange(name, value, 1, LAST_PORT));
    }

    /** One of several words. */
    public <T> T choice(String name, T[] choices, Function<T, String> word, T otherwise) {
        String value = text(name, word.apply(otherwise));
        return Arrays.stream(choices).filter(choice -> word.apply(choice).equals(value)).findFirst()
                .orElseThrow(() -> new WrongSetting(name, value, words(choices, word)));
    }

    /** The words of all choices, as a sentence lists them. */
    public static <T> String words(T[] choices, Function<T, String> word) {
        return Arrays.stream(choices).map(word).collect(Collectors.joining(", "));
    }

    private static int inRange(String name, String value, int least, int most) {
        String allowed = "a whole number from " + least + (most == Integer.MAX_VALUE ? "" : " to " + most);
        try {
            int number = Integer.parseInt(value);
            if (number >= least && number <= most && !value.startsWith("+")) {
                return number;
            }
        } catch (NumberFormatException notANumber) {
            throw new WrongSetting(name, value, allowed);
        }
        throw new WrongSetting(name, value, allowed);
    }
}
