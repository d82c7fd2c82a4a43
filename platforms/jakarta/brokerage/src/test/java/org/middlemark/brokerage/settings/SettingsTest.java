package org.middlemark.brokerage.settings;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.middlemark.settings.DataAccess;
import org.middlemark.settings.ServicesAddress;
import org.middlemark.settings.WrongSetting;

class SettingsTest {
    private static final String DATABASE = "postgresql://ada:secret@127.0.0.1:5432/brokerage";

    @Test
    void everythingButTheDatabaseHasADefault() {
        Settings settings = Settings.read(Map.of("MM_DATABASE_URL", DATABASE));
        assertEquals(EnumSet.of(Role.WEB, Role.SERVICES), settings.roles());
        assertEquals(DataAccess.JDBC, settings.dataAccess());
        assertEquals(8080, settings.listening().port());
        assertEquals("postgresql://ada@127.0.0.1:5432/brokerage", settings.database().orElseThrow().shown());
    }

    @Test
    void allIsAlsoAProcessorWhenOrdersAreAsynchronous() {
        assertEquals(EnumSet.allOf(Role.class), read("MM_ORDERS", "async-queue").roles());
    }

    @Test
    void withTheQueueOfTheServerNobodyIsAProcessorAndOrdersStayAsTheyAre() {
        Settings settings = read("MM_ORDERS", "async-xa");
        assertEquals(EnumSet.of(Role.WEB, Role.SERVICES), settings.roles());
        assertEquals(EnumSet.of(OrderProcessing.ASYNC_XA), settings.changeableOrders());
        assertEquals(1, settings.ordersInTransaction());
        assertEquals(EnumSet.of(OrderProcessing.SYNC, OrderProcessing.ASYNC_QUEUE),
                read("MM_ORDERS", "sync").changeableOrders());
    }

    @ParameterizedTest(name = "{0}={1}")
    @CsvSource(delimiter = '|', value = {
        "MM_DATABASE_URL||MM_DATABASE_URL is missing; allowed is postgresql://user:password@host:port/name",
        "MM_PORT|0|MM_PORT is '0'; allowed is a whole number from 1 to 65535",
        "MM_PORT|+1|MM_PORT is '+1'; allowed is a whole number from 1 to 65535",
        "MM_DATABASE_POOL|many|MM_DATABASE_POOL is 'many'; allowed is a whole number from 1",
        "MM_DATA_ACCESS|odbc|MM_DATA_ACCESS is 'odbc'; allowed is jdbc, jpa",
        "MM_ORDERS|later|MM_ORDERS is 'later'; allowed is sync, async-queue, async-xa",
        "MM_ROLE|web,chef|MM_ROLE is 'web,chef'; allowed is a comma list of all, web, services, processor",
        "MM_ROLE|processor|MM_ROLE is 'processor'; allowed is processor only with MM_ORDERS=async-queue",
        "MM_CONFIG_PAGE|yes|MM_CONFIG_PAGE is 'yes'; allowed is on, off",
        "MM_SERVICES_URL|localhost|MM_SERVICES_URL is 'localhost'; allowed is http://host:port",
    })
    void aWrongValueIsToldInOneLine(String name, String value, String message) {
        WrongSetting wrong = assertThrows(WrongSetting.class, () -> read(name, Optional.ofNullable(value).orElse("")));
        assertEquals(message, wrong.getMessage());
    }

    @Test
    void aWebTierOverARemoteBindingNeedsAnAddressAndNoDatabase() {
        Map<String, String> remote = Map.of("MM_ROLE", "web", "MM_BINDING", "json");
        assertThrows(WrongSetting.class, () -> Settings.read(remote));
        Map<String, String> addressed = new HashMap<>(remote);
        addressed.put("MM_SERVICES_URL", "http://127.0.0.1:8081");
        Settings settings = Settings.read(addressed);
        assertTrue(settings.database().isEmpty());
        assertEquals(Optional.of(new ServicesAddress("127.0.0.1", 8081)), settings.servicesUrl());
    }

    private static Settings read(String name, String value) {
        Map<String, String> environment = new HashMap<>(Map.of("MM_DATABASE_URL", DATABASE));
        environment.put(name, value);
        return Settings.read(environment);
    }
}
