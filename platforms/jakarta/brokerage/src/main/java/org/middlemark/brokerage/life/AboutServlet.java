package org.middlemark.brokerage.life;

import jakarta.inject.Inject;
import jakarta.json.Json;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.json.JsonReader;
import jakarta.json.JsonValue;
import jakarta.servlet.ServletException;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.middlemark.brokerage.services.SettingsInEffect;
import org.middlemark.brokerage.settings.Role;
import org.middlemark.brokerage.settings.Settings;

/** Says what this process is and which settings are in effect. */
@WebServlet("/about")
public class AboutServlet extends HttpServlet {
    @Inject
    private Settings settings;
    @Inject
    private SettingsInEffect inEffect;
    private JsonObject server;
    private String commit;
    /** As it was at the start: what is compared before and after a measurement must not change by itself. */
    private List<NotDefault> machine;

    @Override
    public void init() throws ServletException {
        String path = System.getenv("MM_SERVER");
        try {
            server = path == null ? JsonValue.EMPTY_JSON_OBJECT : read(Path.of(path));
            commit = builtFrom();
        } catch (IOException failure) {
            throw new ServletException("what MM_SERVER says of the server cannot be read from " + path, failure);
        }
        machine = NotDefault.ofMachine();
    }

    /** The commit; unknown in an archive that was built outside a checkout. */
    private String builtFrom() throws IOException {
        try (InputStream file = getServletContext().getResourceAsStream("/WEB-INF/classes/commit.txt")) {
            String commit = file == null ? "" : new String(file.readAllBytes(), StandardCharsets.UTF_8).strip();
            return commit.isEmpty() ? "unknown" : commit;
        }
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        JsonArrayBuilder roles = Json.createArrayBuilder();
        inEffect.roles().forEach(role -> roles.add(role.word()));
        JsonObjectBuilder about = Json.createObjectBuilder().add("platform", "jakarta")
                .add("server", server.getString("server", getServletContext().getServerInfo()))
                .add("specification", "brokerage").add("specification_version", "1").add("commit", commit)
                .add("roles", roles)
                .add("settings", settingsShown()).add("versions", versions()).add("not_default", notDefault());
        response.setContentType("application/json");
        response.getOutputStream().write(about.build().toString().getBytes(StandardCharsets.UTF_8));
    }

    private JsonObjectBuilder settingsShown() {
        SettingsInEffect.Changeable now = inEffect.now();
        Settings.Listening listening = settings.listening();
        Settings.Processor processor = settings.processor();
        int concurrency = Math.min(processor.concurrency(), settings.databasePool());
        String roles = inEffect.roles().stream().map(Role::word).collect(Collectors.joining(","));
        String grpcPort = listening.grpcPort().isPresent() ? Integer.toString(listening.grpcPort().getAsInt()) : "";
        return Json.createObjectBuilder().add("role", roles).add("host", listening.host())
                .add("port", Integer.toString(listening.port())).add("grpc_port", grpcPort)
                .add("database_url", settings.database().map(address -> address.shown()).orElse(""))
                .add("database_pool", Integer.toString(settings.databasePool()))
                .add("data_access", settings.dataAccess().word())
                .add("orders", now.orders().word())
                .add("processor_batch", Integer.toString(settings.ordersInTransaction()))
                .add("processor_concurrency", Integer.toString(concurrency))
                .add("processor_seconds", Integer.toString(processor.seconds()))
                .add("processor_timeout_seconds", Integer.toString(processor.timeoutSeconds()))
                .add("binding", now.binding().word())
                .add("services_url", now.servicesUrl().map(Object::toString).orElse(""))
                .add("services_connections", Integer.toString(settings.servicesConnections()))
                .add("market_summary_seconds", Integer.toString(now.marketSummarySeconds()))
                .add("session_seconds", Integer.toString(settings.sessionSeconds()))
                .add("config_page", settings.configPage() ? "on" : "off");
    }

    private JsonObjectBuilder versions() {
        JsonObjectBuilder versions = Json.createObjectBuilder();
        server.getOrDefault("versions", JsonValue.EMPTY_JSON_OBJECT).asJsonObject().forEach(versions::add);
        Map.of("java", System.getProperty("java.version"), "Jakarta EE", "10", System.getProperty("java.vm.name"),
                System.getProperty("java.vm.version")).forEach(versions::add);
        return versions;
    }

    private JsonArrayBuilder notDefault() {
        JsonArrayBuilder all = Json.createArrayBuilder();
        server.getOrDefault("not_default", JsonValue.EMPTY_JSON_ARRAY).asJsonArray().forEach(all::add);
        machine.forEach(one -> all.add(json(one)));
        NotDefault.ofApplication(settings, inEffect.now().binding(), inEffect.roles())
                .forEach(one -> all.add(json(one)));
        return all;
    }

    private static JsonObjectBuilder json(NotDefault one) {
        return Json.createObjectBuilder().add("what", one.what()).add("value", one.value()).add("why", one.why());
    }

    private static JsonObject read(Path path) throws IOException {
        try (JsonReader reader = Json.createReader(Files.newBufferedReader(path))) {
            return reader.readObject();
        }
    }
}
