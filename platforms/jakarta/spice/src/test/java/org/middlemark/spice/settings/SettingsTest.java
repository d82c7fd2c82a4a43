package org.middlemark.spice.settings;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.middlemark.settings.WrongSetting;

class SettingsTest {
    @TempDir
    private Path site;
    private Map<String, String> environment;

    @BeforeEach
    void fileForBothKeys() throws IOException {
        Path pem = Files.createFile(site.resolve("any.pem"));
        environment = new HashMap<>(Map.of("MM_SITE", site.toString(), "MM_ENCRYPTION", "tls",
                "MM_TLS_PORT", "8443", "MM_TLS_CERTIFICATE", pem.toString(), "MM_TLS_KEY", pem.toString()));
    }

    @Test
    void whatIsLeftOutHasItsDefault() {
        assertEquals(Map.of("host", "127.0.0.1", "port", "8080", "site", site.toString(), "encryption", "none",
                "tls_port", "", "tls_certificate", "", "tls_key", ""),
                Settings.read(Map.of("MM_SITE", site.toString(), "MM_PORT", "")).shown());
    }

    @Test
    void withoutEncryptionNothingOfItIsInEffect() {
        environment.putAll(Map.of("MM_ENCRYPTION", "none", "MM_TLS_PORT", "nonsense"));
        assertEquals("", Settings.read(environment).shown().get("tls_port"));
    }

    @Test
    void withEncryptionAllOfItIsInEffect() {
        Map<String, String> shown = Settings.read(environment).shown();
        assertEquals("tls", shown.get("encryption"));
        assertEquals("8443", shown.get("tls_port"));
        assertEquals(site.resolve("any.pem").toString(), shown.get("tls_certificate"));
    }

    @ParameterizedTest
    @CsvSource(textBlock = """
            MM_SITE, '', MM_SITE is missing; allowed is a folder
            MM_SITE, /nowhere, MM_SITE is '/nowhere'; allowed is a folder
            MM_PORT, 65536, MM_PORT is '65536'; allowed is a whole number from 1 to 65535
            MM_PORT, +80, MM_PORT is '+80'; allowed is a whole number from 1 to 65535
            MM_ENCRYPTION, on, 'MM_ENCRYPTION is ''on''; allowed is none, tls'
            MM_TLS_PORT, '', 'MM_TLS_PORT is missing; allowed is 1 to 65535, needed with MM_ENCRYPTION=tls'
            MM_TLS_KEY, '', 'MM_TLS_KEY is missing; allowed is a file, needed with MM_ENCRYPTION=tls'
            """)
    void whatIsWrongIsToldInOneLine(String variable, String value, String message) {
        environment.put(variable, value);
        WrongSetting wrong = assertThrows(WrongSetting.class, () -> Settings.read(environment));
        assertEquals(message, wrong.getMessage());
    }
}
