package org.middlemark.life;

import jakarta.json.Json;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.json.JsonReader;
import jakarta.json.JsonValue;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** The object that {@code /about} shows, in a server and in a program of its own. */
public final class About {
    private final Application application;
    private final JsonObject server;
    private final String serverName;
    private final String commit;
    private final Map<String, String> libraries;
    /** As it was at the start: what is compared before and after a measurement must not change by itself. */
    private final List<NotDefault> machine = NotDefault.ofMachine();

    private About(Application application, JsonObject server, String serverName, String commit,
            Map<String, String> libraries) {
        this.application = application;
        this.server = server;
        this.serverName = serverName;
        this.commit = commit;
        this.libraries = libraries;
    }

    /**
     * Reads the file that {@code MM_SERVER} names.
     *
     * @param serverName shown where that file names no server
     * @param commit the file in the artifact; null in one that was built outside a checkout
     */
    public static About read(Application application, String serverName, InputStream commit,
            Map<String, String> libraries) throws IOException {
        String path = System.getenv("MM_SERVER");
        String built = commit == null ? "" : new String(commit.readAllBytes(), StandardCharsets.UTF_8).strip();
        return new About(application, path == null ? JsonValue.EMPTY_JSON_OBJECT : read(Path.of(path)), serverName,
                built.isEmpty() ? "unknown" : built, libraries);
    }

    /** The object in UTF-8. */
    public byte[] json() {
        JsonObjectBuilder shown = Json.createObjectBuilder();
        application.settings().forEach(shown::add);
        JsonObjectBuilder about = Json.createObjectBuilder().add("platform", "jakarta")
                .add("server", server.getString("server", serverName))
                .add("specification", application.specification()).add("specification_version", "1")
                .add("commit", commit).add("roles", Json.createArrayBuilder(application.roles()))
                .add("settings", shown).add("versions", versions()).add("not_default", notDefault());
        return about.build().toString().getBytes(StandardCharsets.UTF_8);
    }

    private JsonObjectBuilder versions() {
        JsonObjectBuilder versions = Json.createObjectBuilder();
        server.getOrDefault("versions", JsonValue.EMPTY_JSON_OBJECT).asJsonObject().forEach(versions::add);
        libraries.forEach(versions::add);
        Map.of("java", System.getProperty("java.version"), System.getProperty("java.vm.name"),
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
        } catch (IOException failure) {
            throw new IOException("the file of MM_SERVER cannot be read: " + path, failure);
        }
    }
}
