package org.middlemark.brokerage.processing;

import jakarta.annotation.Resource;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.logging.Level;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.middlemark.brokerage.services.OrderPlaced;

/** Notifies the processors of each order that has been placed. */
@ApplicationScoped
public class Notifier {
    private static final Logger LOG = Logger.getLogger(Notifier.class.getName());
    private static final int SECONDS = 10;

    @Resource(name = "jdbc/brokerage")
    private DataSource dataSource;

    /** Called after the order's transaction; without a notification a processor finds the order when it looks. */
    void placed(@Observes OrderPlaced event) {
        try (Connection connection = dataSource.getConnection(); Statement statement = connection.createStatement()) {
            statement.setQueryTimeout(SECONDS);
            statement.execute("NOTIFY " + Notifications.CHANNEL);
        } catch (SQLException failure) {
            LOG.log(Level.WARNING, "processors are not notified and find order {0} later: {1}",
                    new Object[] {Long.toString(event.orderId()), failure.getMessage()});
        }
    }
}
