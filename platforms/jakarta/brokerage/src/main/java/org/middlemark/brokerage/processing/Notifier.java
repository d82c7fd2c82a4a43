package org.middlemark.brokerage.processing;

import jakarta.annotation.Resource;
import jakarta.enterprise.concurrent.ManagedExecutorService;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.logging.Level;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.middlemark.brokerage.services.OrderPlaced;

/**
 * Notifies the processors that orders have been placed, without letting the request wait: one notification may stand
 * for several.
 */
@ApplicationScoped
public class Notifier {
    private static final Logger LOG = Logger.getLogger(Notifier.class.getName());
    private static final String NOTIFY = "NOTIFY " + Notifications.CHANNEL;
    private static final int SECONDS = 10;

    @Resource(lookup = "jdbc/brokerage")
    private DataSource dataSource;
    @Resource
    private ManagedExecutorService executor;
    private final AtomicBoolean due = new AtomicBoolean();

    void placed(@Observes OrderPlaced event) {
        if (due.compareAndSet(false, true)) {
            try {
                executor.execute(this::send);
            } catch (RejectedExecutionException stopping) {
                LOG.log(Level.FINE, "processors find order {0} by themselves", event.orderId());
            }
        }
    }

    private void send() {
        due.set(false);
        try (Connection connection = dataSource.getConnection(); Statement statement = connection.createStatement()) {
            statement.setQueryTimeout(SECONDS);
            statement.execute(NOTIFY);
        } catch (SQLException failure) {
            LOG.log(Level.WARNING, "processors are not notified and find their orders later: {0}", failure.toString());
        }
    }
}
