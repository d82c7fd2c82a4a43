package org.middlemark.database;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;

/** Runs statements with the connection of the caller's transaction. */
public final class Statements {
    private final DataSource dataSource;

    public Statements(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    /** Makes a value of one row. */
    @FunctionalInterface
    public interface Row<T> {
        T read(ResultSet row) throws SQLException;
    }

    /** All rows that a statement answers. */
    public <T> List<T> rows(String sql, Row<T> row, Object... values) {
        try (Connection connection = dataSource.getConnection();
                PreparedStatement statement = prepare(connection, sql, values);
                ResultSet result = statement.executeQuery()) {
            return read(result, row);
        } catch (SQLException failure) {
            throw new StoreFailure(failure);
        }
    }

    /** The only row, or nothing. */
    public <T> Optional<T> row(String sql, Row<T> row, Object... values) {
        return rows(sql, row, values).stream().findFirst();
    }

    /** All rows that a statement without parameters answers; the database plans it anew each time. */
    public <T> List<T> rowsPlannedAnew(String sql, Row<T> row) {
        try (Connection connection = dataSource.getConnection(); Statement statement = connection.createStatement()) {
            statement.setQueryTimeout(Deadline.secondsLeft());
            try (ResultSet result = statement.executeQuery(sql)) {
                return read(result, row);
            }
        } catch (SQLException failure) {
            throw new StoreFailure(failure);
        }
    }

    /** How many rows a statement has changed. */
    public int change(String sql, Object... values) {
        try (Connection connection = dataSource.getConnection();
                PreparedStatement statement = prepare(connection, sql, values)) {
            return statement.executeUpdate();
        } catch (SQLException failure) {
            throw new StoreFailure(failure);
        }
    }

    /** Carries a statement out with each of several rows of values, sent together. */
    public void changeTogether(String sql, List<List<Object>> rows) {
        try (Connection connection = dataSource.getConnection();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setQueryTimeout(Deadline.secondsLeft());
            for (List<Object> values : rows) {
                set(connection, statement, values.toArray());
                statement.addBatch();
            }
            statement.executeBatch();
        } catch (SQLException failure) {
            throw new StoreFailure(failure);
        }
    }

    /** A point in time of a row; null where the row has none. */
    public static Instant instant(ResultSet row, String column) throws SQLException {
        OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
        return time == null ? null : time.toInstant();
    }

    private static <T> List<T> read(ResultSet result, Row<T> row) throws SQLException {
        List<T> rows = new ArrayList<>();
        while (result.next()) {
            rows.add(row.read(result));
        }
        return rows;
    }

    private static PreparedStatement prepare(Connection connection, String sql, Object... values) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        try {
            statement.setQueryTimeout(Deadline.secondsLeft());
            set(connection, statement, values);
            return statement;
        } catch (SQLException | StoreFailure failure) {
            statement.close();
            throw failure;
        }
    }

    private static void set(Connection connection, PreparedStatement statement, Object... values)
            throws SQLException {
        for (int i = 0; i < values.length; i++) {
            set(connection, statement, i + 1, values[i]);
        }
    }

    private static void set(Connection connection, PreparedStatement statement, int position, Object value)
            throws SQLException {
        if (value instanceof Instant instant) {
            statement.setObject(position, instant.atOffset(ZoneOffset.UTC));
        } else if (value instanceof Collection<?> list) {
            String type = list.stream().allMatch(Long.class::isInstance) ? "bigint" : "text";
            statement.setArray(position, connection.createArrayOf(type, list.toArray()));
        } else {
            statement.setObject(position, value);
        }
    }
}
