package org.middlemark.life;

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

/** Says what this process is and which settings are in effect. */
@WebServlet("/about")
public class AboutServlet extends HttpServlet {
    private final Application application;
    private JsonObject server;
    private String commit;
    /** As it was at the start: what is compared before and after a measurement must not change by itself. */
    private List<NotDefault> machine;

    @Inject
    public AboutServlet(Application application) {
        this.application = application;
    }

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
        JsonObjectBuilder shown = Json.createObjectBuilder();
        application.settings().forEach(shown::add);
        JsonObjectBuilder about = Json.createObjectBuilder().add("platform", "jakarta")
                .add("server", server.getString("server", getServletContext().getServerInfo()))
                .add("specification", application.specification()).add("specification_version", "1")
                .add("commit", commit).add("roles", Json.createArrayBuilder(application.roles()))
                .add("settings", shown).add("versions", versions()).add("not_default", notDefault());
        response.setContentType("application/json");
        response.getOutputStream().write(about.build().toString().getBytes(StandardCharsets.UTF_8));
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
        machine.forEach(setting -> all.add(json(setting)));
        application.notDefault().forEach(setting -> all.add(json(setting)));
        return all;
    }

    private static JsonObjectBuilder json(NotDefault setting) {
        return Json.createObjectBuilder().add("what", setting.what()).add("value", setting.value())
                .add("why", setting.why());
    }

    private static JsonObject read(Path path) throws IOException {
        try (JsonReader reader = Json.createReader(Files.newBufferedReader(path))) {
            return reader.readObject();
        }
    }
}
