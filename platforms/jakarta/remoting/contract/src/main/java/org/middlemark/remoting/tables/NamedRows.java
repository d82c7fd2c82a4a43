package org.middlemark.remoting.tables;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.middlemark.refusals.Refusal;
import org.middlemark.remoting.domain.TableSet;
import org.middlemark.remoting.domain.TableSet.Table;

/** The rows of a table of a set. */
final class NamedRows {
    private NamedRows() {
    }

    /** All rows of the table of a name; {@code invalid_input} when the set has none. */
    static List<NamedRow> of(TableSet tables, String name) {
        Table table = tables.tables().stream().filter(candidate -> candidate.name().equals(name)).findFirst()
                .orElseThrow(() -> Refusal.invalid("The table set has no table " + name + "."));
        Map<String, Integer> positions = new HashMap<>();
        for (int i = 0; i < table.columns().size(); i++) {
            positions.putIfAbsent(table.columns().get(i).name(), i);
        }
        return table.rows().stream().map(row -> new NamedRow(table, positions, row)).toList();
    }
}
