package org.middlemark.brokerage.services;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.middlemark.brokerage.settings.Binding;
import org.middlemark.brokerage.settings.OrderProcessing;
import org.middlemark.brokerage.settings.ServicesAddress;
import org.middlemark.brokerage.settings.Settings;

/** The settings that can change while the process runs, all at once. */
@ApplicationScoped
public class SettingsInEffect {
    /**
     * One state of them.
     *
     * @param servicesUrl nothing: the own services
     */
    public record Changeable(Binding binding, Optional<ServicesAddress> servicesUrl, OrderProcessing orders,
            int marketSummarySeconds) {
    }

    private final AtomicReference<Changeable> now = new AtomicReference<>();

    /** For the container's proxy. */
    protected SettingsInEffect() {
    }

    @Inject
    public SettingsInEffect(Settings settings) {
        now.set(new Changeable(settings.binding(), settings.servicesUrl(), settings.orders(), settings.marketSummarySeconds()));
    }

    public Changeable now() {
        return now.get();
    }

    public void change(Changeable next) {
        now.set(next);
    }
}
