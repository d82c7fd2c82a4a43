package org.middlemark.spice.settings;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.middlemark.settings.Variables;
import org.middlemark.settings.WrongSetting;

/**
 * What the operator has chosen for this process (specs/spice/README.md, "Settings"), read once at the start.
 *
 * @param site the folder with the files
 * @param tls nothing without encryption
 */
public record Settings(String host, int port, Path site, Optional<Tls> tls) {
    /** The listener over TLS. The server makes it; the application checks and shows what it was told of it. */
    public record Tls(int port, Path certificate, Path key) {
    }

    /** Reads the variables; {@link WrongSetting} for one that is wrong. */
    public static Settings read(Map<String, String> environment) {
        Variables variables = new Variables(environment);
        Encryption encryption = variables.choice("MM_ENCRYPTION", Encryption.values(), Encryption::word,
                Encryption.NONE);
        Optional<Tls> tls = encryption == Encryption.NONE ? Optional.empty()
                : Optional.of(new Tls(tlsPort(variables), file(variables, "MM_TLS_CERTIFICATE"),
                        file(variables, "MM_TLS_KEY")));
        return new Settings(variables.text("MM_HOST", "127.0.0.1"), variables.port("MM_PORT", 8080), site(variables),
                tls);
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

    private static int tlsPort(Variables variables) {
        return variables.port("MM_TLS_PORT").orElseThrow(
                () -> new WrongSetting("MM_TLS_PORT", "", "1 to 65535, needed with MM_ENCRYPTION=tls"));
    }

    private static Path site(Variables variables) {
        Path folder = Path.of(variables.text("MM_SITE", ""));
        if (folder.toString().isEmpty() || !Files.isDirectory(folder)) {
            throw new WrongSetting("MM_SITE", folder.toString(), "a folder");
        }
        return folder;
    }

    private static Path file(Variables variables, String name) {
        Path file = Path.of(variables.text(name, ""));
        if (!Files.isRegularFile(file)) {
            throw new WrongSetting(name, file.toString(), "a file, needed with MM_ENCRYPTION=tls");
        }
        return file;
    }
}
