package org.middlemark.remoting.client;

import java.util.Optional;
import java.util.Set;
import org.middlemark.life.Health;
import org.middlemark.refusals.Refusal;
import org.middlemark.remoting.client.local.LocalService;
import org.middlemark.remoting.client.proxies.Proxies;
import org.middlemark.remoting.client.proxies.Proxies.Lease;
import org.middlemark.remoting.domain.Protocol;

/** The service answers over one protocol with an address, and the database of a service in the same process. */
final class ClientHealth implements Health {
    private final Proxies proxies;
    private final Optional<LocalService> local;

    ClientHealth(Proxies proxies, Optional<LocalService> local) {
        this.proxies = proxies;
        this.local = local;
    }

    @Override
    public Optional<String> trouble(int seconds) {
        Optional<String> ofDatabase = local.flatMap(service -> service.trouble(seconds));
        return ofDatabase.isPresent() ? ofDatabase : ofService();
    }

    private Optional<String> ofService() {
        Set<Protocol> called = proxies.called();
        return called.isEmpty() || called.stream().anyMatch(this::answers) ? Optional.empty()
                : Optional.of("the service does not answer over any protocol");
    }

    private boolean answers(Protocol protocol) {
        try (Lease lease = proxies.take(protocol)) {
            proxies.call(lease.proxy(), () -> {
                lease.proxy().ping();
                return protocol;
            });
            return true;
        } catch (Refusal refusal) {
            return false;
        }
    }
}
