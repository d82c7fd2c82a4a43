package org.middlemark.remoting.beans;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Produces;
import java.util.Set;
import org.middlemark.remoting.access.Gate;
import org.middlemark.remoting.domain.Service;
import org.middlemark.remoting.settings.Role;
import org.middlemark.remoting.settings.Settings;
import org.middlemark.remoting.store.OfferedService;
import org.middlemark.remoting.store.Transactions;
import org.middlemark.settings.WrongSetting;

/** The parts that every protocol needs: settings, the gate, and the service behind its session bean. */
@ApplicationScoped
public class Parts {
    private final Settings settings = settings(Settings.read(System.getenv()));
    private final Gate gate = Gate.of(settings);

    /** The archive carries the service alone. */
    private static Settings settings(Settings settings) {
        if (!settings.roles().equals(Set.of(Role.SERVICE))) {
            throw new WrongSetting("MM_ROLE", settings.shown().get("role"),
                    "service; the client is a program of its own");
        }
        return settings;
    }

    @Produces
    public Settings settings() {
        return settings;
    }

    @Produces
    public Gate gate() {
        return gate;
    }

    @Produces
    public Service service(Transactions transactions) {
        return new OfferedService(transactions);
    }
}
