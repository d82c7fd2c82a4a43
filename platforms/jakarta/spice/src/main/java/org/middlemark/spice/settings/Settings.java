package org.middlemark.spice.settings;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * What the operator has chosen for this process (specs/spice/README.md, "Settings"), read once at the start.
 *
 * @param site the folder with the files
 * @param tls nothing without encryption
 */
public record Settings(String host, int port, Path site, Optional<Tls> tls) {
    private static final int LAST_PORT = 65_535;

    /** The listener over TLS. The server makes it; the application checks and shows what it was told of it. */
    public record Tls(int port, Path certificate, Path key) {
    }

    /** Reads the variables, of which one with the empty text is missing; {@link WrongSetting} for one that is wrong. */
    public static Settings read(Map<String, String> environment) {
        Optional<Tls> tls = encryption(environment) == Encryption.NONE ? Optional.empty()
                : Optional.of(new Tls(port(environment, "MM_TLS_PORT", ""), file(environment, "MM_TLS_CERTIFICATE"),
                        file(environment, "MM_TLS_KEY")));
        return new Settings(text(environment, "MM_HOST", "127.0.0.1"), port(environment, "MM_PORT", "8080"),
                site(environment), tls);
    }

    public Encryption encryption() {
        return tls.isPresent() ? Encryption.TLS : Encryption.NONE;
    }

    /** Every setting by its name as {@code /about} shows it; one that is not in effect has the empty text. */
    public Map<String, String> shown() {
        Map<String, String> shown = new LinkedHashMap<>();
        shown.put("host", host);
        shown.put("port", Integer.toString(port));
        shown.put("site", site.toString());
        shown.put("encryption", encryption().word());
        shown.put("tls_port", tls.map(one -> Integer.toString(one.port())).orElse(""));
        shown.put("tls_certificate", tls.map(one -> one.certificate().toString()).orElse(""));
        shown.put("tls_key", tls.map(one -> one.key().toString()).orElse(""));
        return shown;
    }

    private static Encryption encryption(Map<String, String> environment) {
        String value = text(environment, "MM_ENCRYPTION", Encryption.NONE.word());
        return Arrays.stream(Encryption.values()).filter(one -> one.word().equals(value)).findFirst()
                .orElseThrow(() -> new WrongSetting("MM_ENCRYPTION", value, Arrays.stream(Encryption.values())
                        .map(Encryption::word).collect(Collectors.joining(", "))));
    }

    private static Path site(Map<String, String> environment) {
        Path folder = Path.of(text(environment, "MM_SITE", ""));
        if (folder.toString().isEmpty() || !Files.isDirectory(folder)) {
            throw new WrongSetting("MM_SITE", folder.toString(), "a folder");
        }
        return folder;
    }

    private static Path file(Map<String, String> environment, String name) {
        Path file = Path.of(text(environment, name, ""));
        if (!Files.isRegularFile(file)) {
            throw new WrongSetting(name, file.toString(), "a file, needed with MM_ENCRYPTION=tls");
        }
        return file;
    }

    private static int port(Map<String, String> environment, String name, String otherwise) {
        String value = text(environment, name, otherwise);
        if (value.matches("[0-9]{1,5}")) {
            int port = Integer.parseInt(value);
            if (port > 0 && port <= LAST_PORT) {
                return port;
            }
        }
        throw new WrongSetting(name, value, "a whole number from 1 to " + LAST_PORT);
    }

    private static String text(Map<String, String> environment, String name, String otherwise) {
        String value = environment.getOrDefault(name, "");
        return value.isEmpty() ? otherwise : value;
    }
}
