package org.middlemark.brokerage.life;

import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.middlemark.brokerage.services.SettingsInEffect;
import org.middlemark.brokerage.settings.Role;
import org.middlemark.brokerage.settings.Settings;
import org.middlemark.life.Application;
import org.middlemark.life.NotDefault;

/** The brokerage with the settings in effect. */
@Dependent
public class BrokerageApplication implements Application {
    private final Settings settings;
    private final SettingsInEffect inEffect;

    @Inject
    public BrokerageApplication(Settings settings, SettingsInEffect inEffect) {
        this.settings = settings;
        this.inEffect = inEffect;
    }

    @Override
    public String specification() {
        return "brokerage";
    }

    @Override
    public List<String> roles() {
        return inEffect.roles().stream().map(Role::word).toList();
    }

    @Override
    public boolean carries(String path) {
        return settings.roles().contains(path.startsWith("/services/") ? Role.SERVICES : Role.WEB);
    }

    @Override
    public List<NotDefault> notDefault() {
        return Disclosed.ofApplication(settings, inEffect.now().binding(), inEffect.roles());
    }

    @Override
    public Map<String, String> settings() {
        Map<String, String> shown = new LinkedHashMap<>();
        shown.put("role", String.join(",", roles()));
        shown.putAll(listening());
        shown.put("database_url", settings.database().map(address -> address.shown()).orElse(""));
        shown.put("database_pool", Integer.toString(settings.databasePool()));
        shown.put("data_access", settings.dataAccess().word());
        shown.putAll(processing());
        shown.putAll(changeable());
        shown.put("services_connections", Integer.toString(settings.servicesConnections()));
        shown.put("session_seconds", Integer.toString(settings.sessionSeconds()));
        shown.put("config_page", settings.configPage() ? "on" : "off");
        return shown;
    }

    private Map<String, String> listening() {
        Settings.Listening listening = settings.listening();
        return Map.of("host", listening.host(), "port", Integer.toString(listening.port()), "grpc_port",
                listening.grpcPort().stream().mapToObj(Integer::toString).collect(Collectors.joining()));
    }

    private Map<String, String> processing() {
        Settings.Processor processor = settings.processor();
        int concurrency = Math.min(processor.concurrency(), settings.databasePool());
        return Map.of("processor_batch", Integer.toString(settings.ordersInTransaction()),
                "processor_concurrency", Integer.toString(concurrency),
                "processor_seconds", Integer.toString(processor.seconds()),
                "processor_timeout_seconds", Integer.toString(processor.timeoutSeconds()));
    }

    private Map<String, String> changeable() {
        SettingsInEffect.Changeable now = inEffect.now();
        return Map.of("binding", now.binding().word(),
                "services_url", now.servicesUrl().map(Object::toString).orElse(""),
                "orders", now.orders().word(),
                "market_summary_seconds", Integer.toString(now.marketSummarySeconds()));
    }
}
