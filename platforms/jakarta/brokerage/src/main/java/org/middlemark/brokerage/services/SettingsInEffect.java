package org.middlemark.brokerage.services;

import jakarta.annotation.PostConstruct;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Event;
import jakarta.inject.Inject;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import org.middlemark.brokerage.settings.Binding;
import org.middlemark.brokerage.settings.OrderProcessing;
import org.middlemark.brokerage.settings.Role;
import org.middlemark.brokerage.settings.Settings;
import org.middlemark.settings.ServicesAddress;

/** The settings that can change while the process runs, all at once; a change is also an event. */
@ApplicationScoped
public class SettingsInEffect {
    /**
     * One state of them.
     *
     * @param servicesUrl where the web tier finds the services; nothing with the binding local
     */
    public record Changeable(Binding binding, Optional<ServicesAddress> servicesUrl, OrderProcessing orders,
            int marketSummarySeconds) {
    }

    @Inject
    private Settings settings;
    @Inject
    private Event<Changeable> changed;
    private volatile Changeable now;
    private volatile boolean processing;

    @PostConstruct
    void begin() {
        Optional<ServicesAddress> address = settings.servicesUrl().or(() -> ownAddress(settings.binding()));
        now = new Changeable(settings.binding(), address, settings.orders(), settings.marketSummarySeconds());
    }

    /** What is in effect at this moment. */
    public Changeable now() {
        return now;
    }

    /** Puts other settings into effect for everything that begins later. */
    public void change(Changeable next) {
        now = next;
        processing |= settings.everything() && next.orders().hasProcessor();
        changed.fire(next);
    }

    /** The roles of the process; one with all of them stays a processor once orders have been asynchronous. */
    public Set<Role> roles() {
        Set<Role> roles = EnumSet.copyOf(settings.roles());
        if (processing) {
            roles.add(Role.PROCESSOR);
        }
        return roles;
    }

    /** Where this process offers its services over a binding; nothing where it does not. */
    public Optional<ServicesAddress> ownAddress(Binding binding) {
        String host = "0.0.0.0".equals(settings.listening().host()) ? "127.0.0.1" : settings.listening().host();
        if (!settings.offersServices() || binding == Binding.LOCAL) {
            return Optional.empty();
        }
        if (binding != Binding.GRPC) {
            return Optional.of(new ServicesAddress(host, settings.listening().port()));
        }
        return settings.listening().grpcPort().stream().mapToObj(port -> new ServicesAddress(host, port)).findFirst();
    }
}
