package org.middlemark.brokerage.life;

import jakarta.annotation.Resource;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;
import javax.sql.DataSource;

/** Whether the database answers. Apart from {@link Health}: a process without one has no data source to inject. */
@ApplicationScoped
public class DatabaseHealth {
    @Resource(name = "jdbc/brokerage")
    private DataSource dataSource;

    /** Why it does not, in one line; nothing when it does within so many seconds. */
    Optional<String> trouble(int seconds) {
        try (Connection connection = dataSource.getConnection(); Statement statement = connection.createStatement()) {
            statement.setQueryTimeout(seconds);
            statement.execute("SELECT 1");
            return Optional.empty();
        } catch (SQLException failure) {
            return Optional.of("the database does not answer: " + failure.getMessage().lines().findFirst().orElse(""));
        }
    }
}
