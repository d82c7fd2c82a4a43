package org.middlemark.brokerage.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.middlemark.brokerage.settings.Settings;
import org.middlemark.brokerage.settings.WrongSetting;

class NotDefaultTest {

    private static final String DATABASE = "postgresql://user:password@127.0.0.1:5432/name";

    @Test
    void processThatCallsNoServicesListsNoClient() throws WrongSetting {
        assertThat(listed(Map.of("MM_DATABASE_URL", DATABASE))).anyMatch(what -> what.startsWith("HikariCP"))
                .noneMatch(what -> what.startsWith("HttpClient"));
    }

    @Test
    void processWithoutDatabaseListsNoPool() throws WrongSetting {
        assertThat(listed(Map.of("MM_ROLE", "web", "MM_BINDING", "json", "MM_SERVICES_URL", "http://127.0.0.1:9090")))
                .anyMatch(what -> what.startsWith("HttpClient")).noneMatch(what -> what.startsWith("HikariCP"));
    }

    @Test
    void optionsOfTheRuntimeAreListed() throws WrongSetting {
        Settings settings = Settings.read(Map.of("MM_DATABASE_URL", DATABASE));
        assertThat(NotDefault.of(settings, List.of("-Xmx512m", "-Dname=value", "-XX:+UseSerialGC")))
                .contains(new NotDefault("java", "-Xmx512m", "set by the operator"),
                        new NotDefault("java", "-XX:+UseSerialGC", "set by the operator"))
                .noneMatch(setting -> setting.value().startsWith("-D"));
    }

    private static List<String> listed(Map<String, String> environment) throws WrongSetting {
        return NotDefault.of(Settings.read(environment)).stream().map(NotDefault::what).toList();
    }
}
