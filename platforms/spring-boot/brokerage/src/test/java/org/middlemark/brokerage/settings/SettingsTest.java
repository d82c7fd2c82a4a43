package org.middlemark.brokerage.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SettingsTest {

    private static final String DATABASE = "postgresql://user:pass%2Bword@127.0.0.1:5432/name";

    @Test
    void everySettingButTheDatabaseHasADefault() throws WrongSetting {
        Map<String, String> shown = read(Map.of()).shown();
        assertThat(shown).containsEntry("role", "web,services").containsEntry("port", "8080").containsEntry("binding", "local")
                .containsEntry("services_url", "").containsEntry("session_seconds", "300");
    }

    @Test
    void emptyVariableIsAMissingOne() throws WrongSetting {
        assertThat(read(Map.of("MM_PORT", "", "MM_ROLE", "")).port()).isEqualTo(8080);
    }

    @Test
    void passwordReachesTheDatabaseAndIsNotShown() throws WrongSetting {
        Settings settings = read(Map.of());
        assertThat(settings.properties()).containsEntry("spring.datasource.url", "jdbc:postgresql://127.0.0.1:5432/name")
                .containsEntry("spring.datasource.username", "user").containsEntry("spring.datasource.password", "pass+word");
        assertThat(settings.shown()).containsEntry("database_url", "postgresql://user@127.0.0.1:5432/name");
    }

    @Test
    void parametersOfTheAddressReachTheDriverAndAreShown() throws WrongSetting {
        Settings settings = read(Map.of("MM_DATABASE_URL", DATABASE + "?sslmode=require&sslrootcert=%2Froot.crt"));
        assertThat(settings.properties()).containsEntry("spring.datasource.url",
                "jdbc:postgresql://127.0.0.1:5432/name?sslmode=require&sslrootcert=%2Froot.crt");
        assertThat(settings.shown()).containsEntry("database_url",
                "postgresql://user@127.0.0.1:5432/name?sslmode=require&sslrootcert=%2Froot.crt");
    }

    @Test
    void onlyPagesOverARemoteBindingNeedNoDatabase() throws WrongSetting {
        Settings settings = Settings.read(Map.of("MM_ROLE", "web", "MM_BINDING", "json", "MM_SERVICES_URL", "http://127.0.0.1:9090"));
        assertThat(settings.profiles()).containsExactly("web", "json-binding");
        assertThatThrownBy(() -> Settings.read(Map.of("MM_ROLE", "services"))).hasMessageContaining("MM_DATABASE_URL is missing");
    }

    @Test
    void addressThatIsNotInEffectIsShownEmpty() throws WrongSetting {
        Map<String, String> services = Map.of("MM_SERVICES_URL", "http://127.0.0.1:9090", "MM_BINDING", "json");
        assertThat(shown(services, "MM_ROLE", "web")).containsEntry("services_url", "http://127.0.0.1:9090")
                .containsEntry("database_url", "");
        assertThat(shown(services, "MM_ROLE", "services")).containsEntry("services_url", "");
        assertThat(shown(services, "MM_BINDING", "local")).containsEntry("services_url", "");
        assertThat(shown(services, "MM_SERVICES_URL", "")).containsEntry("services_url", "http://127.0.0.1:8080");
    }

    @Test
    void processWithServicesOfItsOwnCallsItself() throws WrongSetting {
        assertThat(read(Map.of("MM_BINDING", "soap")).servicesUrl()).hasToString("http://127.0.0.1:8080");
        assertThatThrownBy(() -> read(Map.of("MM_ROLE", "web", "MM_BINDING", "soap"))).hasMessageContaining("MM_SERVICES_URL is missing");
    }

    @ParameterizedTest
    @CsvSource({"MM_ROLE, processor", "MM_ROLE, 'web,'", "MM_PORT, 65536", "MM_PORT, x", "MM_DATABASE_POOL, 0", "MM_BINDING, grpc",
        "MM_ORDERS, async-queue", "MM_DATA_ACCESS, jpa", "MM_SERVICES_URL, ftp://x:1", "MM_SERVICES_URL, http://host",
        "MM_SERVICES_URL, http://host:1/", "MM_SERVICES_URL, http://host:1/path", "MM_SERVICES_URL, http://host:1?query",
        "MM_SERVICES_URL, http://host:1#fragment", "MM_SERVICES_URL, http://user@host:1",
        "MM_MARKET_SUMMARY_SECONDS, -1", "MM_SESSION_SECONDS, 0", "MM_GRPC_PORT, 0", "MM_PROCESSOR_BATCH, 1.5"})
    void wrongSettingIsToldWithItsVariableAndItsValue(String variable, String value) {
        assertThatThrownBy(() -> read(Map.of(variable, value))).isInstanceOf(WrongSetting.class)
                .hasMessageStartingWith(variable + " is \"" + value + "\", allowed is: ");
    }

    @Test
    void wrongAddressOfTheDatabaseIsToldWithoutItsPassword() {
        assertThatThrownBy(() -> Settings.read(Map.of("MM_DATABASE_URL", "mysql://user:secret@host:1/name")))
                .hasMessageContaining("mysql://user@host:1/name").hasMessageNotContaining("secret");
    }

    private static Map<String, String> shown(Map<String, String> variables, String name, String value) throws WrongSetting {
        Map<String, String> changed = new HashMap<>(variables);
        changed.put(name, value);
        return read(changed).shown();
    }

    private static Settings read(Map<String, String> variables) throws WrongSetting {
        Map<String, String> environment = new HashMap<>(variables);
        environment.putIfAbsent("MM_DATABASE_URL", DATABASE);
        return Settings.read(environment);
    }
}
