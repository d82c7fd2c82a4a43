package org.middlemark.remoting.tables;

import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.middlemark.refusals.Refusal;
import org.middlemark.remoting.domain.TableSet.Table;

/**
 * A row of a table, whose values are read by the names of the columns. A column that the table does not have, a missing
 * value and a text of another type are {@code invalid_input}.
 *
 * @param positions the position of each column by its name
 */
record NamedRow(Table table, Map<String, Integer> positions, List<String> values) {
    /** Numbers of XML Schema; the parsers of the JDK read more, as {@code 0x1p3} and {@code 1d}. */
    private static final Pattern WHOLE = Pattern.compile("[+-]?[0-9]+");
    private static final Pattern NUMBER = Pattern.compile("[+-]?([0-9]+(\\.[0-9]*)?|\\.[0-9]+)([eE][+-]?[0-9]+)?");

    String text(String column) {
        Integer position = positions.get(column);
        if (position == null) {
            throw Refusal.invalid("The table " + table.name() + " has no column " + column + ".");
        }
        String value = values.get(position);
        if (value == null) {
            throw Refusal.invalid(table.name() + "." + column + " is missing.");
        }
        return value;
    }

    int whole(String column) {
        try {
            return Integer.parseInt(matching(WHOLE, column, "a whole number"));
        } catch (NumberFormatException tooLong) {
            throw Refusal.invalid(table.name() + "." + column + " is not an int.");
        }
    }

    double number(String column) {
        return Double.parseDouble(matching(NUMBER, column, "a number"));
    }

    private String matching(Pattern pattern, String column, String type) {
        String text = text(column).strip();
        if (!pattern.matcher(text).matches()) {
            throw Refusal.invalid(table.name() + "." + column + " is not " + type + ".");
        }
        return text;
    }
}
