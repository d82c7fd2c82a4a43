package org.middlemark.brokerage.life;

import jakarta.annotation.PostConstruct;
import jakarta.ejb.Singleton;
import jakarta.ejb.Startup;
import jakarta.ejb.TransactionAttribute;
import jakarta.ejb.TransactionAttributeType;
import jakarta.inject.Inject;
import java.sql.SQLException;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.middlemark.brokerage.settings.Settings;

/** What happens once, when the application starts. */
@Singleton
@Startup
@TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
public class Beginning {
    private static final Logger LOG = Logger.getLogger(Beginning.class.getName());

    @Inject
    private Settings settings;
    @Inject
    private Connections connections;

    @PostConstruct
    void begin() {
        LOG.log(Level.INFO, "the brokerage starts as {0}", settings.roles());
        if (settings.hasServices()) {
            try {
                connections.open();
            } catch (SQLException unavailable) {
                LOG.log(Level.WARNING, "the database is not there yet", unavailable);
            }
        }
    }
}
