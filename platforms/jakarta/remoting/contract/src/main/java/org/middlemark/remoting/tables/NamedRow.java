package org.middlemark.remoting.tables;

import java.util.List;
import java.util.Map;
import org.middlemark.refusals.Refusal;
import org.middlemark.remoting.domain.TableSet.Table;

/**
 * A row of a table, whose values are read by the names of the columns. A column that the table does not have, a missing
 * value and a text of another type are {@code invalid_input}.
 *
 * @param positions the position of each column by its name
 */
record NamedRow(Table table, Map<String, Integer> positions, List<String> values) {
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
            return Integer.parseInt(text(column).strip());
        } catch (NumberFormatException other) {
            throw Refusal.invalid(table.name() + "." + column + " is not a whole number.");
        }
    }

    double number(String column) {
        try {
            return Double.parseDouble(text(column));
        } catch (NumberFormatException other) {
            throw Refusal.invalid(table.name() + "." + column + " is not a number.");
        }
    }
}
