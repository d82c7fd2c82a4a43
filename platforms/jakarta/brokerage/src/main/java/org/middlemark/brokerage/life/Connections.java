package org.middlemark.brokerage.life;

import jakarta.annotation.Resource;
import jakarta.enterprise.concurrent.ManagedExecutorService;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.logging.Level;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.middlemark.brokerage.services.ConnectionLost;
import org.middlemark.brokerage.services.ServersPool;
import org.middlemark.brokerage.settings.Settings;

/**
 * Keeps as many connections to the database open as the operator wants. A server's pool opens one when it is needed
 * and, after a failure, throws all of them away; so what is missing is asked for at the start, and again when one has
 * been lost.
 */
@ApplicationScoped
public class Connections {
    private static final Logger LOG = Logger.getLogger(Connections.class.getName());
    private static final long PAUSE_MILLISECONDS = 200;
    /** At the start nobody else wants a connection. */
    private static final Duration LONGEST_START = Duration.ofSeconds(10);
    /** Those that are taken to make the pool open others are kept from requests meanwhile. */
    private static final Duration LONGEST_ROUND = Duration.ofSeconds(1);

    /** Not shareable: within one thread a shareable one would be the same connection again and again. */
    @Resource(lookup = "jdbc/brokerage", shareable = false)
    private DataSource dataSource;
    @Resource
    private ManagedExecutorService executor;
    @Inject
    private Settings settings;
    @Inject
    private ServersPool pool;
    private final AtomicBoolean filling = new AtomicBoolean();

    Connection take() throws SQLException {
        return dataSource.getConnection();
    }

    void lost(@Observes ConnectionLost event) {
        lost();
    }

    /** Opens what is missing, in the background. */
    void lost() {
        if (filling.compareAndSet(false, true)) {
            executor.submit(() -> {
                try {
                    boolean missing = true;
                    while (missing) {
                        Thread.sleep(PAUSE_MILLISECONDS);
                        missing = opening(LONGEST_ROUND).fill();
                    }
                } catch (SQLException | InterruptedException unavailable) {
                    LOG.log(Level.FINE, "the next lost connection is the next attempt", unavailable);
                } finally {
                    filling.set(false);
                }
            });
        }
    }

    /** Opens all connections: the pool keeps them when they are given back. */
    void open() throws SQLException {
        if (opening(LONGEST_START).fill()) {
            LOG.log(Level.WARNING, "not all connections to the database could be opened in {0}", LONGEST_START);
        }
    }

    private Opening opening(Duration longest) {
        return new Opening(this::take, pool::size, settings.databasePool(), longest);
    }
}
