package org.middlemark.brokerage.life;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.util.Optional;
import org.middlemark.brokerage.services.SettingsInEffect;
import org.middlemark.brokerage.settings.Binding;
import org.middlemark.brokerage.settings.Role;
import org.middlemark.brokerage.settings.Settings;
import org.middlemark.brokerage.web.ServicesInReach;
import org.middlemark.life.DatabaseHealth;
import org.middlemark.life.Health;
import org.middlemark.refusals.Refusal;

/** The database answers, and so do the services that are called. */
@ApplicationScoped
public class BrokerageHealth implements Health {
    @Inject
    private Settings settings;
    @Inject
    private SettingsInEffect inEffect;
    @Inject
    private ServicesInReach services;

    @Override
    public Optional<String> trouble(int seconds) {
        Optional<String> ofDatabase = settings.hasServices() ? DatabaseHealth.trouble("brokerage", seconds)
                : Optional.empty();
        boolean remote = settings.roles().contains(Role.WEB) && inEffect.now().binding() != Binding.LOCAL;
        return ofDatabase.isPresent() || !remote ? ofDatabase : remote();
    }

    private Optional<String> remote() {
        try {
            services.services().ping();
            return Optional.empty();
        } catch (Refusal refusal) {
            return Optional.of("the services do not answer at " + inEffect.now().servicesUrl().orElseThrow());
        }
    }
}
