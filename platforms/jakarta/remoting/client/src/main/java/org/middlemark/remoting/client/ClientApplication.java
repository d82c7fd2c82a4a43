package org.middlemark.remoting.client;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.middlemark.life.Application;
import org.middlemark.life.NotDefault;
import org.middlemark.remoting.settings.Role;
import org.middlemark.remoting.settings.Settings;

/** The client, whose settings do not change. */
final class ClientApplication implements Application {
    /** Properties of the JDK by their names. They are set before anything reads them. */
    static final Map<String, NotDefault> PROPERTIES = properties();

    private final Settings settings;

    ClientApplication(Settings settings) {
        this.settings = settings;
    }

    private static Map<String, NotDefault> properties() {
        Map<String, NotDefault> all = new LinkedHashMap<>();
        for (NotDefault setting : List.of(
                new NotDefault("sun.net.httpserver.nodelay", "true", "records are sent within 10 ms"),
                new NotDefault("sun.net.httpserver.idleInterval", "120",
                        "seconds; longer than callers keep unused connections without a look at them"),
                new NotDefault("sun.net.httpserver.maxReqTime", "10",
                        "seconds; a request that is not complete by then closes its connection"),
                new NotDefault("http.maxConnections", "64",
                        "unused connections over SOAP that are kept, as many as users (Java keeps 5)"),
                new NotDefault("sun.net.http.retryPost", "false", "nothing is sent twice"),
                new NotDefault("jdk.httpclient.allowRestrictedHeaders", "connection",
                        "with MM_CONNECTIONS=unshared a request says that its connection is closed"))) {
            all.put(setting.what(), setting);
        }
        return all;
    }

    @Override
    public String specification() {
        return "remoting";
    }

    @Override
    public List<String> roles() {
        return settings.roles().stream().map(Role::word).toList();
    }

    @Override
    public boolean carries(String path) {
        return path.startsWith("/call/") || path.startsWith("/loop/");
    }

    @Override
    public Map<String, String> settings() {
        return settings.shown();
    }

    @Override
    public List<NotDefault> notDefault() {
        List<NotDefault> all = new ArrayList<>(PROPERTIES.values());
        all.add(new NotDefault("gRPC's retries", "none", "nothing is sent twice"));
        if (settings.roles().contains(Role.SERVICE)) {
            all.add(new NotDefault("HikariCP connectionTimeout, connectTimeout and socketTimeout of the driver",
                    "10 s, 2 s, 20 s", "an operation that the database has not done after 10 s is refused"));
            all.add(new NotDefault("query timeout of each statement", "the seconds that are left of its operation",
                    "an operation has 10 s"));
        }
        return all;
    }
}
