package org.middlemark.petstore.settings;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Produces;

/** Reads the settings when the first bean asks for them. */
@ApplicationScoped
public class SettingsProducer {
    private final Settings settings = Settings.read(System.getenv());

    @Produces
    public Settings settings() {
        return settings;
    }
}
