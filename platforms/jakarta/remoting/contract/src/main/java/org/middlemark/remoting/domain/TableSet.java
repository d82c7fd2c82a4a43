package org.middlemark.remoting.domain;

import java.util.List;

/** Tables that bring the description of their columns with them. */
public record TableSet(List<Table> tables) {
    /** A set of one table. */
    public static TableSet of(Table table) {
        return new TableSet(List.of(table));
    }

    /**
     * A table.
     *
     * @param rows the values of each row in the order of the columns, as text; null is a missing value
     */
    public record Table(String name, List<Column> columns, List<List<String>> rows) {
    }

    /**
     * A column.
     *
     * @param type a type of XML Schema without a prefix, as {@code int}
     */
    public record Column(String name, String type) {
    }
}
