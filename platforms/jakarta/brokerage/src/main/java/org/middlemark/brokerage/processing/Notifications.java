package org.middlemark.brokerage.processing;

import jakarta.annotation.Resource;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.middlemark.brokerage.settings.Settings;
import org.postgresql.PGConnection;

/**
 * Waits for notifications that orders have been placed, on a connection of its own. JDBC cannot wait for one: this
 * class alone asks PostgreSQL's driver.
 */
@ApplicationScoped
public class Notifications {
    /** The channel of the specification. */
    static final String CHANNEL = "order_messages";

    private static final Logger LOG = Logger.getLogger(Notifications.class.getName());
    private static final int WAIT_MILLISECONDS = 1_000;

    @Resource(name = "jdbc/brokerage-beside-pool", shareable = false)
    private DataSource dataSource;
    @Inject
    private Settings settings;
    private volatile boolean ended;

    /** Listens until {@link #end}, also after the connection was lost; tells of what may have come meanwhile, too. */
    void listen(Runnable notified) {
        boolean isAway = false;
        while (!ended) {
            try (Connection connection = dataSource.getConnection();
                    Statement statement = connection.createStatement()) {
                statement.execute("LISTEN " + CHANNEL);
                isAway = false;
                notified.run();
                await(connection.unwrap(PGConnection.class), notified);
            } catch (SQLException failure) {
                if (isAway) {
                    pause();
                } else {
                    isAway = true;
                    LOG.log(Level.WARNING, "not notified of orders until the connection is back: {0}",
                            failure.toString().lines().findFirst().orElse(""));
                }
            }
        }
    }

    void end() {
        ended = true;
    }

    private void await(PGConnection connection, Runnable notified) throws SQLException {
        while (!ended) {
            if (connection.getNotifications(WAIT_MILLISECONDS).length > 0) {
                notified.run();
            }
        }
    }

    private void pause() {
        try {
            TimeUnit.SECONDS.sleep(settings.processor().seconds());
        } catch (InterruptedException stopping) {
            ended = true;
            Thread.currentThread().interrupt();
        }
    }
}
