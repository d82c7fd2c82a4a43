package org.middlemark.spice.life;

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
import java.util.Map;
import org.middlemark.spice.settings.Settings;

/** Says what this process is and which settings are in effect. It is made once: nothing of it changes. */
@WebServlet("/about")
public class AboutServlet extends HttpServlet {
    private final Settings settings;
    private byte[] about;

    @Inject
    public AboutServlet(Settings settings) {
        this.settings = settings;
    }

    @Override
    public void init() throws ServletException {
        String path = System.getenv("MM_SERVER");
        try {
            JsonObject server = path == null ? JsonValue.EMPTY_JSON_OBJECT : read(Path.of(path));
            about = about(server).toString().getBytes(StandardCharsets.UTF_8);
        } catch (IOException failure) {
            throw new ServletException("what MM_SERVER says of the server cannot be read from " + path, failure);
        }
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        response.setContentType("application/json");
        response.getOutputStream().write(about);
    }

    private JsonObject about(JsonObject server) throws IOException {
        JsonObjectBuilder shown = Json.createObjectBuilder();
        settings.shown().forEach(shown::add);
        return Json.createObjectBuilder().add("platform", "jakarta")
                .add("server", server.getString("server", getServletContext().getServerInfo()))
                .add("specification", "spice").add("specification_version", "1").add("commit", builtFrom())
                .add("roles", Json.createArrayBuilder().add("web-server"))
                .add("settings", shown).add("versions", versions(server)).add("not_default", notDefault(server))
                .build();
    }

    /** The commit; unknown in an archive that was built outside a checkout. */
    private String builtFrom() throws IOException {
        try (InputStream file = getServletContext().getResourceAsStream("/WEB-INF/classes/commit.txt")) {
            String commit = file == null ? "" : new String(file.readAllBytes(), StandardCharsets.UTF_8).strip();
            return commit.isEmpty() ? "unknown" : commit;
        }
    }

    private static JsonObjectBuilder versions(JsonObject server) {
        JsonObjectBuilder versions = Json.createObjectBuilder();
        server.getOrDefault("versions", JsonValue.EMPTY_JSON_OBJECT).asJsonObject().forEach(versions::add);
        Map.of("java", System.getProperty("java.version"), "Jakarta EE", "10", System.getProperty("java.vm.name"),
                System.getProperty("java.vm.version")).forEach(versions::add);
        return versions;
    }

    private static JsonArrayBuilder notDefault(JsonObject server) {
        JsonArrayBuilder all = Json.createArrayBuilder();
        server.getOrDefault("not_default", JsonValue.EMPTY_JSON_ARRAY).asJsonArray().forEach(all::add);
        NotDefault.all().forEach(one -> all.add(Json.createObjectBuilder().add("what", one.what())
                .add("value", one.value()).add("why", one.why())));
        return all;
    }

    private static JsonObject read(Path path) throws IOException {
        try (JsonReader reader = Json.createReader(Files.newBufferedReader(path))) {
            return reader.readObject();
        }
    }
}
