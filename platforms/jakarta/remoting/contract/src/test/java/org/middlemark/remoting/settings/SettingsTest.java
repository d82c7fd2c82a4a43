package org.middlemark.remoting.settings;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.middlemark.remoting.domain.Authentication;
import org.middlemark.settings.WrongSetting;

class SettingsTest {
    private static final String DATABASE = "postgresql://user:secret@127.0.0.1:5432/northwind";

    @Test
    void aClientNeedsNothing() {
        Settings settings = Settings.read(Map.of("MM_ROLE", "client"));
        assertTrue(settings.database().isEmpty());
        assertEquals(Authentication.NONE, settings.authentication());
        assertEquals(8084, settings.listening().rmiPort());
    }

    @Test
    void everySettingIsShownAndNoPasswordOfADatabase() {
        Map<String, String> shown = Settings.read(Map.of("MM_DATABASE_URL", DATABASE)).shown();
        assertEquals(25, shown.size());
        assertEquals("client,service", shown.get("role"));
        assertEquals("postgresql://user@127.0.0.1:5432/northwind", shown.get("database_url"));
        assertEquals("", shown.get("service_tcp"));
        assertEquals("", shown.get("socket"));
    }

    @Test
    void aTokenIsNotShown() {
        Settings settings = Settings.read(
                Map.of("MM_ROLE", "client", "MM_AUTHENTICATION", "token", "MM_TOKEN", "a.b.c"));
        assertEquals("secret", settings.shown().get("token"));
        assertEquals("a.b.c", settings.credentials().token());
    }

    @Test
    void anAddressIsShownAsItWasGiven() {
        Map<String, String> shown = Settings.read(Map.of("MM_ROLE", "client", "MM_SERVICE_TCP", "127.0.0.1:8081",
                "MM_SERVICE_HTTPS_URL", "https://127.0.0.1:8443")).shown();
        assertEquals("127.0.0.1:8081", shown.get("service_tcp"));
        assertEquals("https://127.0.0.1:8443", shown.get("service_https_url"));
    }

    @ParameterizedTest
    @CsvSource({
        "MM_ROLE, server", "MM_AUTHENTICATION, basic", "MM_CONNECTIONS, none", "MM_NATIVE_PORT, 0",
        "MM_SERVICE_URL, https://127.0.0.1:1", "MM_SERVICE_TCP, 127.0.0.1", "MM_SERVICE_GRPC, http://127.0.0.1:1",
        "MM_AUTHENTICATION, token", "MM_AUTHENTICATION, certificate",
    })
    void aWrongSettingIsNamed(String name, String value) {
        Map<String, String> environment = "MM_ROLE".equals(name) ? Map.of(name, value)
                : Map.of("MM_ROLE", "client", name, value);
        assertTrue(assertThrows(WrongSetting.class, () -> Settings.read(environment)).getMessage().startsWith("MM_"));
    }

    @Test
    void aServiceNeedsItsDatabase() {
        assertThrows(WrongSetting.class, () -> Settings.read(Map.of("MM_ROLE", "service")));
    }
}
