package org.middlemark.remoting.store;

import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Types;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.middlemark.remoting.domain.TableSet.Column;
import org.middlemark.remoting.domain.TableSet.Table;

/** Makes a table of a result by its metadata: the same code for every query. */
final class ResultTables {
    private static final Type STRING = new Type("string", ResultSet::getString);
    private static final Type BOOLEAN = new Type("boolean", (row, column) -> {
        boolean value = row.getBoolean(column);
        return row.wasNull() ? null : Boolean.toString(value);
    });
    private static final Type DECIMAL = new Type("decimal", (row, column) -> {
        BigDecimal value = row.getBigDecimal(column);
        return value == null ? null : value.toPlainString();
    });
    private static final Type DOUBLE = new Type("double", ResultTables::floating);
    /** The types of JDBC that PostgreSQL's driver gives; any other one is a text. */
    private static final Map<Integer, Type> TYPES = Map.ofEntries(
            Map.entry(Types.SMALLINT, new Type("short", ResultSet::getString)),
            Map.entry(Types.INTEGER, new Type("int", ResultSet::getString)),
            Map.entry(Types.BIGINT, new Type("long", ResultSet::getString)),
            Map.entry(Types.NUMERIC, DECIMAL),
            Map.entry(Types.DECIMAL, DECIMAL),
            Map.entry(Types.FLOAT, DOUBLE),
            Map.entry(Types.DOUBLE, DOUBLE),
            Map.entry(Types.REAL, new Type("float", ResultTables::floating)),
            Map.entry(Types.BIT, BOOLEAN),
            Map.entry(Types.BOOLEAN, BOOLEAN),
            Map.entry(Types.TIMESTAMP, new Type("dateTime", (row, column) -> {
                LocalDateTime value = row.getObject(column, LocalDateTime.class);
                return value == null ? null : DateTimeFormatter.ISO_LOCAL_DATE_TIME.format(value);
            })));

    private ResultTables() {
    }

    /** A type of XML Schema, and how its text is read; null where the value is missing. */
    private record Type(String name, Text text) {
    }

    @FunctionalInterface
    private interface Text {
        String read(ResultSet row, int column) throws SQLException;
    }

    /** All rows of a result. */
    static Table table(String name, ResultSet rows) throws SQLException {
        ResultSetMetaData metadata = rows.getMetaData();
        int count = metadata.getColumnCount();
        List<Column> columns = new ArrayList<>(count);
        List<Type> types = new ArrayList<>(count);
        for (int column = 1; column <= count; column++) {
            Type type = TYPES.getOrDefault(metadata.getColumnType(column), STRING);
            types.add(type);
            columns.add(new Column(metadata.getColumnLabel(column), type.name()));
        }
        List<List<String>> values = new ArrayList<>();
        while (rows.next()) {
            String[] row = new String[count];
            for (int i = 0; i < count; i++) {
                row[i] = types.get(i).text().read(rows, i + 1);
            }
            values.add(Collections.unmodifiableList(Arrays.asList(row)));
        }
        return new Table(name, columns, values);
    }

    /** XML Schema names infinity otherwise than PostgreSQL. */
    private static String floating(ResultSet row, int column) throws SQLException {
        String text = row.getString(column);
        return text == null ? null : text.replace("Infinity", "INF");
    }
}
