package org.middlemark.brokerage.processing;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Properties;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.middlemark.brokerage.settings.DatabaseAddress;
import org.postgresql.Driver;
import org.postgresql.PGConnection;

/**
 * Listens on the channel of the messages, on a connection of its own, and tells somebody of each notification. JDBC
 * cannot wait for one: this class alone knows PostgreSQL's driver, of which the application has a copy of its own for
 * it.
 */
final class Notifications implements Runnable, AutoCloseable {
    /** The channel of the specification. */
    static final String CHANNEL = "order_messages";

    private static final Logger LOG = Logger.getLogger(Notifications.class.getName());
    private static final int WAIT_MILLISECONDS = 10_000;
    private static final long PAUSE_MILLISECONDS = 500;

    private final DatabaseAddress database;
    private final Runnable notified;
    private volatile boolean closed;
    private volatile Connection connection;

    Notifications(DatabaseAddress database, Runnable notified) {
        this.database = database;
        this.notified = notified;
    }

    @Override
    public void run() {
        while (!closed) {
            try {
                listen();
            } catch (SQLException failure) {
                if (!closed) {
                    LOG.log(Level.WARNING, "not notified of orders until the connection is back: {0}",
                            failure.toString());
                    pause();
                }
            }
        }
    }

    @Override
    public void close() {
        closed = true;
        try (Connection open = connection) {
            LOG.log(Level.FINE, "no longer listening on {0}", open);
        } catch (SQLException alreadyLost) {
            LOG.log(Level.FINE, "the connection was lost before", alreadyLost);
        }
    }

    private void listen() throws SQLException {
        try (Connection open = connect()) {
            connection = open;
            try (Statement statement = open.createStatement()) {
                statement.execute("LISTEN " + CHANNEL);
            }
            notified.run(); // of what came before
            PGConnection listening = open.unwrap(PGConnection.class);
            while (!closed) {
                if (listening.getNotifications(WAIT_MILLISECONDS).length > 0) {
                    notified.run();
                }
            }
        }
    }

    private Connection connect() throws SQLException {
        Properties user = new Properties();
        user.setProperty("user", database.user());
        user.setProperty("password", database.password());
        user.setProperty("ApplicationName", "order_messages");
        user.setProperty("connectTimeout", "10");
        user.setProperty("tcpKeepAlive", "true");
        return new Driver().connect(database.jdbc(), user);
    }

    private void pause() {
        try {
            Thread.sleep(PAUSE_MILLISECONDS);
        } catch (InterruptedException stopping) {
            closed = true;
            Thread.currentThread().interrupt();
        }
    }
}
