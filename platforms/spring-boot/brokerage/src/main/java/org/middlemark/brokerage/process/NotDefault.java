package org.middlemark.brokerage.process;

import java.util.List;
import org.middlemark.brokerage.settings.Settings;

/** A setting that is not the default of the runtime or a library, and can change performance. */
record NotDefault(String what, String value, String why) {

    static List<NotDefault> of(Settings settings) {
        return List.of(
                new NotDefault("HikariCP maximumPoolSize", Integer.toString(settings.database().pool()), "MM_DATABASE_POOL"),
                new NotDefault("HikariCP connectionTimeout", "2 s", "without a free connection a request is refused as unavailable"),
                new NotDefault("HikariCP validationTimeout", "1 s", "/health answers within 2 s"),
                new NotDefault("JDBC connectTimeout, socketTimeout", "2 s, 11 s",
                        "nobody waits longer than 15 s for a database that is away"),
                new NotDefault("Spring query and transaction time-out", "10 s", "an operation is not done after 10 s"),
                new NotDefault("Tomcat maxKeepAliveRequests", "unlimited", "connections stay open"),
                new NotDefault("HttpClient connections", Integer.toString(settings.web().servicesConnections()), "MM_SERVICES_CONNECTIONS"),
                new NotDefault("HttpClient response time-out, automatic retries", "15 s, none",
                        "the web tier waits that long for an answer, and sends nothing twice"));
    }
}
