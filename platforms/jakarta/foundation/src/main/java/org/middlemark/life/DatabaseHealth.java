package org.middlemark.life;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;
import javax.naming.InitialContext;
import javax.naming.NamingException;
import javax.sql.DataSource;

/** Whether a database answers. Its data source is looked up, as a process that does not work on it may have none. */
public final class DatabaseHealth {
    private DatabaseHealth() {
    }

    /** Why the database of a resource does not, in one line; nothing when it does within so many seconds. */
    public static Optional<String> trouble(String resource, int seconds) {
        try {
            return trouble(resource, InitialContext.doLookup("java:comp/env/jdbc/" + resource), seconds);
        } catch (NamingException failure) {
            return Optional.of(line(resource, failure));
        }
    }

    /** The same of a data source that the caller has. */
    public static Optional<String> trouble(String name, DataSource database, int seconds) {
        try (Connection connection = database.getConnection(); Statement statement = connection.createStatement()) {
            statement.setQueryTimeout(seconds);
            statement.execute("SELECT 1");
            return Optional.empty();
        } catch (SQLException failure) {
            return Optional.of(line(name, failure));
        }
    }

    private static String line(String name, Exception failure) {
        String reason = String.valueOf(failure.getMessage()).lines().findFirst().orElse("");
        return "the database " + name + " does not answer: " + reason;
    }
}
