package org.middlemark.brokerage.life;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.middlemark.brokerage.json.JsonBinding;
import org.middlemark.brokerage.settings.Binding;
import org.middlemark.brokerage.settings.OrderProcessing;
import org.middlemark.brokerage.settings.Role;
import org.middlemark.brokerage.settings.Settings;
import org.middlemark.life.NotDefault;
import org.middlemark.settings.DataAccess;

/** What the brokerage sets other than by default. */
final class Disclosed {
    private Disclosed() {
    }

    /** As far as it is in effect in this process. */
    static List<NotDefault> ofApplication(Settings settings, Binding binding, Set<Role> roles) {
        List<NotDefault> all = new ArrayList<>();
        if (settings.hasServices() && settings.dataAccess() == DataAccess.JPA) {
            all.add(new NotDefault("persistence.xml shared-cache-mode", "NONE",
                    "the specification allows no cache of rows"));
            all.add(new NotDefault("persistence.xml validation-mode", "NONE", "the limits are checked before"));
            all.add(new NotDefault("persistence.xml jakarta.persistence.query.timeout", "10000",
                    "an operation that the database has not done after 10 s is refused"));
        }
        if (settings.hasServices()) {
            all.add(new NotDefault("query timeout of each statement", "the seconds that are left of its operation",
                    "an operation has 10 s, a processor's transaction MM_PROCESSOR_TIMEOUT_SECONDS"));
        }
        if (settings.hasServices() && settings.orders() == OrderProcessing.ASYNC_XA) {
            all.add(new NotDefault("orders completed in one transaction", "1",
                    "message-driven beans get one message in each; MM_PROCESSOR_BATCH is not in effect"));
        }
        if (roles.contains(Role.PROCESSOR)) {
            all.add(new NotDefault("connections to the database beside the pool", "1",
                    "the processor listens on it for notifications of orders"));
        }
        if (roles.contains(Role.WEB) && binding != Binding.LOCAL) {
            all.add(calls(settings.servicesConnections(), binding));
        }
        return all;
    }

    static NotDefault calls(int allowed, Binding binding) {
        String what = "calls of the services at once";
        return binding == Binding.JSON && allowed > JsonBinding.CONNECTIONS
                ? new NotDefault(what, Integer.toString(JsonBinding.CONNECTIONS),
                        "RESTEasy's client has no more connections, whatever MM_SERVICES_CONNECTIONS says")
                : new NotDefault(what, Integer.toString(allowed), "MM_SERVICES_CONNECTIONS");
    }
}
