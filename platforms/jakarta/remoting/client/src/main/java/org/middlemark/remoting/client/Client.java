package org.middlemark.remoting.client;

import java.io.IOException;
import java.util.Optional;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.middlemark.remoting.client.local.LocalService;
import org.middlemark.remoting.client.proxies.Proxies;
import org.middlemark.remoting.settings.Role;
import org.middlemark.remoting.settings.Settings;
import org.middlemark.settings.WrongSetting;

/** The client of remoting: a program of its own, without an application server. */
public final class Client {
    private static final Logger LOG = Logger.getLogger(Client.class.getName());

    private Client() {
    }

    /** Runs until a signal ends the process; a wrong setting or a port that is taken ends it with the status 1. */
    public static void main(String[] arguments) {
        ClientApplication.PROPERTIES.forEach((property, setting) -> System.setProperty(property, setting.value()));
        try {
            run(settings());
        } catch (WrongSetting wrong) {
            System.err.println(wrong.getMessage());
            System.exit(1);
        } catch (IOException failure) {
            System.err.println("The client does not start: " + failure);
            System.exit(1);
        }
    }

    private static Settings settings() {
        Settings settings = Settings.read(System.getenv());
        if (!settings.roles().contains(Role.CLIENT)) {
            throw new WrongSetting("MM_ROLE", settings.shown().get("role"),
                    "client, all; the service is an archive for application servers");
        }
        return settings;
    }

    private static void run(Settings settings) throws IOException {
        Optional<LocalService> local = LocalService.of(settings);
        Proxies proxies = new Proxies(settings, local.map(LocalService::service));
        ClientServer server = ClientServer.start(new ClientApplication(settings), settings.listening(),
                new ClientHealth(proxies, local), proxies);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            server.stop();
            proxies.close();
            local.ifPresent(LocalService::close);
        }, "stop"));
        LOG.log(Level.INFO, "remoting starts as {0}", settings.shown().get("role"));
    }
}
