package org.middlemark.brokerage.settings;

import java.net.URI;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The settings of the specification, in effect. The gRPC port is 0 where there is none. */
public record Settings(Set<Role> roles, String host, int port, int grpcPort, DatabaseSettings database, String dataAccess, String orders,
        ProcessorSettings processor, WebSettings web) {

    /** Reads the environment; throws WrongSetting for the first variable that cannot be used. */
    public static Settings read(Map<String, String> environment) throws WrongSetting {
        Variables variables = new Variables(environment);
        Settings settings = new Settings(Role.roles(variables.text("MM_ROLE", "all")), variables.text("MM_HOST", "127.0.0.1"),
                variables.port("MM_PORT", 8080), variables.text("MM_GRPC_PORT", "").isEmpty() ? 0 : variables.port("MM_GRPC_PORT", 1),
                DatabaseSettings.read(variables), variables.choice("MM_DATA_ACCESS", List.of("jdbc")),
                variables.choice("MM_ORDERS", List.of("sync")), ProcessorSettings.read(variables), WebSettings.read(variables));
        settings.check();
        return settings;
    }

    /** Whether the process works on the database. */
    public boolean needsDatabase() {
        return roles.contains(Role.SERVICES) || web.binding() == Binding.LOCAL;
    }

    /** Whether the process calls services over a remote binding. */
    public boolean callsServices() {
        return roles.contains(Role.WEB) && web.binding() != Binding.LOCAL;
    }

    /** Where the web tier finds the services over a remote binding: by default in this very process. */
    public URI servicesUrl() {
        return web.servicesUrl() != null ? web.servicesUrl() : URI.create("http://" + host + ":" + port);
    }

    /** The profiles of Spring that make this process carry what it shall. */
    public String[] profiles() {
        Set<String> profiles = new LinkedHashSet<>();
        roles.forEach(role -> profiles.add(role.word()));
        if (roles.contains(Role.WEB)) {
            profiles.add(web.binding().word() + "-binding");
        }
        if (needsDatabase()) {
            profiles.add("database");
        }
        return profiles.toArray(String[]::new);
    }

    /** What the settings mean in the properties of Spring Boot. */
    public Map<String, Object> properties() {
        Map<String, Object> properties = new LinkedHashMap<>();
        properties.put("server.address", host);
        properties.put("server.port", port);
        if (needsDatabase()) {
            properties.put("spring.datasource.url", database.jdbcUrl());
            properties.put("spring.datasource.username", database.user());
            properties.put("spring.datasource.password", database.password());
            properties.put("spring.datasource.hikari.maximum-pool-size", database.pool());
        }
        properties.put("spring.cache.type", web.marketSummarySeconds() == 0 ? "none" : "caffeine");
        properties.put("spring.cache.caffeine.spec", "expireAfterWrite=" + web.marketSummarySeconds() + "s");
        return properties;
    }

    /** The settings as {@code /about} shows them: name without {@code MM_}, value as text. */
    public Map<String, String> shown() {
        Map<String, String> shown = new LinkedHashMap<>();
        shown.put("role", Role.words(roles));
        shown.put("host", host);
        shown.put("port", Integer.toString(port));
        shown.put("grpc_port", grpcPort == 0 ? "" : Integer.toString(grpcPort));
        shown.put("database_url", needsDatabase() ? database.shown() : "");
        shown.put("database_pool", Integer.toString(database.pool()));
        shown.put("data_access", dataAccess);
        shown.put("orders", orders);
        shown.put("processor_batch", Integer.toString(processor.batch()));
        shown.put("processor_concurrency", Integer.toString(processor.concurrency()));
        shown.put("processor_seconds", Integer.toString(processor.seconds()));
        shown.put("processor_timeout_seconds", Integer.toString(processor.timeoutSeconds()));
        shown.put("binding", web.binding().word());
        shown.put("services_url", callsServices() ? servicesUrl().toString() : "");
        shown.put("services_connections", Integer.toString(web.servicesConnections()));
        shown.put("market_summary_seconds", Integer.toString(web.marketSummarySeconds()));
        shown.put("session_seconds", Integer.toString(web.sessionSeconds()));
        return shown;
    }

    private void check() throws WrongSetting {
        if (needsDatabase() && database.address() == null) {
            throw new WrongSetting("MM_DATABASE_URL", "", DatabaseSettings.FORM);
        }
        if (!roles.contains(Role.SERVICES) && web.binding() != Binding.LOCAL && web.servicesUrl() == null) {
            throw new WrongSetting("MM_SERVICES_URL", "", WebSettings.SERVICES_FORM);
        }
    }
}
