package org.middlemark.brokerage.services;

import jakarta.enterprise.context.ApplicationScoped;
import java.lang.management.ManagementFactory;
import java.util.OptionalInt;
import java.util.Set;
import java.util.logging.Level;
import java.util.logging.Logger;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.MalformedObjectNameException;
import javax.management.ObjectName;

/**
 * What the server's pool of connections says of itself. Jakarta EE has no question for it, so this asks the managed
 * bean that Open Liberty keeps for each pool; on a server without that bean the pool says nothing.
 */
@ApplicationScoped
public class ServersPool {
    private static final Logger LOG = Logger.getLogger(ServersPool.class.getName());
    private static final ObjectName BEAN =
            named("WebSphere:type=com.ibm.ws.jca.cm.mbean.ConnectionManagerMBean,jndiName=jdbc/brokerage,*");

    private final MBeanServer beans = ManagementFactory.getPlatformMBeanServer();

    /** The connections that are open; nothing before the first has been asked for. */
    public OptionalInt size() {
        return value("Size");
    }

    /** The connections that somebody has taken. */
    public OptionalInt inUse() {
        OptionalInt size = size();
        OptionalInt available = value("Available");
        return size.isEmpty() || available.isEmpty() ? OptionalInt.empty()
                : OptionalInt.of(Math.max(0, size.getAsInt() - available.getAsInt()));
    }

    private OptionalInt value(String attribute) {
        Set<ObjectName> found = beans.queryNames(BEAN, null);
        try {
            return found.isEmpty() ? OptionalInt.empty()
                    : OptionalInt.of(((Number) beans.getAttribute(found.iterator().next(), attribute)).intValue());
        } catch (JMException unknown) {
            LOG.log(Level.FINE, "the pool does not say how many connections it has", unknown);
            return OptionalInt.empty();
        }
    }

    private static ObjectName named(String name) {
        try {
            return new ObjectName(name);
        } catch (MalformedObjectNameException impossible) {
            throw new IllegalArgumentException(impossible);
        }
    }
}
