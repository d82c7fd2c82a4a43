package org.middlemark.brokerage.web;

import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Any;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;
import java.util.EnumSet;
import java.util.Set;
import org.middlemark.brokerage.services.BrokerageServices;
import org.middlemark.brokerage.services.CheckedServices;
import org.middlemark.brokerage.services.RemoteBinding;
import org.middlemark.brokerage.services.RemoteServices;
import org.middlemark.brokerage.services.SettingsInEffect;
import org.middlemark.brokerage.settings.Binding;
import org.middlemark.brokerage.settings.Settings;
import org.middlemark.settings.ServicesAddress;

/** The services that the pages call: in process, or elsewhere over the binding in effect. */
@ApplicationScoped
public class ServicesInReach {
    @Inject
    private BrokerageServices local;
    @Inject
    @Any
    private Instance<RemoteBinding> remoteBindings;
    @Inject
    private Settings settings;
    @Inject
    private SettingsInEffect inEffect;
    private volatile Connected connected;

    private record Connected(Binding binding, ServicesAddress address, RemoteServices services) {
    }

    /** The services as the settings are at this moment. */
    public BrokerageServices services() {
        SettingsInEffect.Changeable now = inEffect.now();
        if (now.binding() == Binding.LOCAL) {
            return local;
        }
        ServicesAddress address = now.servicesUrl().orElseThrow();
        Connected current = connected;
        return isTo(current, now.binding(), address) ? current.services() : connect(now.binding(), address);
    }

    /** The bindings that this process can call services over. */
    public Set<Binding> bindings() {
        Set<Binding> bindings = EnumSet.noneOf(Binding.class);
        if (settings.hasServices()) {
            bindings.add(Binding.LOCAL);
        }
        remoteBindings.forEach(remote -> bindings.add(remote.binding()));
        return bindings;
    }

    @PreDestroy
    void close() {
        if (connected != null) {
            connected.services().close();
        }
    }

    private synchronized BrokerageServices connect(Binding binding, ServicesAddress address) {
        if (!isTo(connected, binding, address)) {
            close();
            RemoteBinding remote = remoteBindings.stream().filter(offered -> offered.binding() == binding).findFirst()
                    .orElseThrow(() -> new IllegalStateException("there is no binding " + binding.word()));
            RemoteServices services = remote.connect(address, settings.servicesConnections());
            connected = new Connected(binding, address, new CheckedServices(services));
        }
        return connected.services();
    }

    private static boolean isTo(Connected connected, Binding binding, ServicesAddress address) {
        return connected != null && connected.binding() == binding && connected.address().equals(address);
    }
}
