package org.middlemark.spice.life;

import jakarta.inject.Inject;
import jakarta.servlet.ServletContextEvent;
import jakarta.servlet.ServletContextListener;
import jakarta.servlet.annotation.WebListener;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.middlemark.spice.settings.Settings;

/** Says what starts. A wrong setting keeps the application from starting: the server cannot make this listener then. */
@WebListener
public class Beginning implements ServletContextListener {
    private static final Logger LOG = Logger.getLogger(Beginning.class.getName());

    private final Settings settings;

    @Inject
    public Beginning(Settings settings) {
        this.settings = settings;
    }

    @Override
    public void contextInitialized(ServletContextEvent event) {
        LOG.log(Level.INFO, "SPICE starts with the files in {0}", settings.site());
    }
}
