package org.middlemark.brokerage.process;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import org.middlemark.brokerage.settings.Settings;

/** A setting that is not the default of the runtime or a library, and can change performance. */
record NotDefault(String what, String value, String why) {

    /** Lists those in effect: of Tomcat, of the parts that the process has, and the options of the JVM. */
    static List<NotDefault> of(Settings settings) {
        return of(settings, ManagementFactory.getRuntimeMXBean().getInputArguments());
    }

    static List<NotDefault> of(Settings settings, List<String> arguments) {
        List<NotDefault> list = new ArrayList<>();
        list.add(new NotDefault("Tomcat maxKeepAliveRequests", "unlimited", "connections stay open"));
        if (settings.needsDatabase()) {
            list.addAll(database(settings.database().pool()));
        }
        if (settings.callsServices()) {
            list.addAll(client(settings.web().servicesConnections()));
        }
        arguments.stream().filter(argument -> argument.startsWith("-X"))
                .forEach(argument -> list.add(new NotDefault("java", argument, "set by the operator")));
        return List.copyOf(list);
    }

    private static List<NotDefault> database(int connections) {
        return List.of(
                new NotDefault("HikariCP maximumPoolSize", Integer.toString(connections), "MM_DATABASE_POOL"),
                new NotDefault("HikariCP connectionTimeout", "10 s", "without a free connection a request is refused as unavailable"),
                new NotDefault("HikariCP validationTimeout", "1 s", "/health answers within 2 s"),
                new NotDefault("JDBC connectTimeout, socketTimeout", "2 s, 11 s",
                        "nobody waits longer than 15 s for a database that is away"),
                new NotDefault("Spring query and transaction time-out", "10 s", "an operation is not done after 10 s"));
    }

    private static List<NotDefault> client(int connections) {
        return List.of(
                new NotDefault("HttpClient connections", Integer.toString(connections), "MM_SERVICES_CONNECTIONS"),
                new NotDefault("HttpClient connect time-out", "2 s", "services that are away are soon known to be"),
                new NotDefault("HttpClient response time-out, automatic retries", "15 s, none",
                        "the web tier waits that long for an answer, and sends nothing twice"));
    }
}
