package org.middlemark.petstore.life;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.util.Optional;
import org.middlemark.life.DatabaseHealth;
import org.middlemark.life.Health;
import org.middlemark.petstore.settings.Role;
import org.middlemark.petstore.settings.Settings;
import org.middlemark.petstore.soap.RemoteOrders;
import org.middlemark.refusals.Refusal;

/** The databases answer, and so does the web service that is called elsewhere. */
@ApplicationScoped
public class PetStoreHealth implements Health {
    @Inject
    private Settings settings;
    @Inject
    private RemoteOrders remote;

    @Override
    public Optional<String> trouble(int seconds) {
        boolean isWeb = settings.roles().contains(Role.WEB);
        return DatabaseHealth.trouble("orders", seconds)
                .or(() -> isWeb ? DatabaseHealth.trouble("catalog", seconds) : Optional.empty())
                .or(() -> isWeb && settings.serviceUrl().isPresent() ? ofService() : Optional.empty());
    }

    private Optional<String> ofService() {
        try {
            remote.ping();
            return Optional.empty();
        } catch (Refusal refusal) {
            return Optional.of("the web service does not answer at " + settings.service());
        }
    }
}
