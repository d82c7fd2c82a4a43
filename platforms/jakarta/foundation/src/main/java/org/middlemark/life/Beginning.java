package org.middlemark.life;

import jakarta.inject.Inject;
import jakarta.servlet.ServletContextEvent;
import jakarta.servlet.ServletContextListener;
import jakarta.servlet.annotation.WebListener;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Logs what starts. A wrong setting keeps the application from starting: the server cannot make this listener then,
 * whose application reads the settings.
 */
@WebListener
public class Beginning implements ServletContextListener {
    private static final Logger LOG = Logger.getLogger(Beginning.class.getName());

    private final Application application;

    @Inject
    public Beginning(Application application) {
        this.application = application;
    }

    @Override
    public void contextInitialized(ServletContextEvent event) {
        LOG.log(Level.INFO, "{0} starts as {1}", new Object[] {application.specification(), application.roles()});
    }
}
