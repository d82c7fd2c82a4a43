package org.middlemark.petstore.settings;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

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
    private static final String CATALOG = "postgresql://ada:secret@127.0.0.1:5432/catalog";
    private static final String ORDERS = "postgresql://ada:secret@127.0.0.1:5433/orders";

    @Test
    void everythingButTheDatabasesHasADefault() {
        Settings settings = read("MM_PORT", "");
        assertEquals(EnumSet.of(Role.WEB, Role.ORDER_SERVICE), settings.roles());
        assertEquals(DataAccess.JDBC, settings.dataAccess());
        assertEquals(86_400, settings.catalogSeconds());
        assertEquals(600, settings.sessionSeconds());
        assertEquals(5, settings.recoverySeconds());
        assertEquals(new ServicesAddress("127.0.0.1", 8080), settings.service());
    }

    @Test
    void aProcessOfTheWebServiceAloneNeedsNoCatalog() {
        Settings settings = Settings.read(Map.of("MM_ROLE", "order-service", "MM_ORDERS_URL", ORDERS));
        assertEquals(Optional.empty(), settings.databases().catalog());
    }

    @Test
    void aProcessOfTheWebTierAloneNeedsTheAddressOfAWebService() {
        WrongSetting wrong = assertThrows(WrongSetting.class, () -> read("MM_ROLE", "web"));
        assertEquals("MM_SERVICE_URL is missing; allowed is http://host:port", wrong.getMessage());
    }

    @ParameterizedTest(name = "{0}={1}")
    @CsvSource(delimiter = '|', value = {
        "MM_CATALOG_URL||MM_CATALOG_URL is missing; allowed is postgresql://user:password@host:port/name",
        "MM_ORDERS_URL||MM_ORDERS_URL is missing; allowed is postgresql://user:password@host:port/name",
        "MM_ROLE|web,chef|MM_ROLE is 'web,chef'; allowed is a comma list of all, web, order-service",
        "MM_ORDERS_POOL|0|MM_ORDERS_POOL is '0'; allowed is a whole number from 1",
        "MM_CATALOG_SECONDS|-1|MM_CATALOG_SECONDS is '-1'; allowed is a whole number from 0",
        "MM_SERVICE_URL|localhost|MM_SERVICE_URL is 'localhost'; allowed is http://host:port",
    })
    void aWrongValueIsToldInOneLine(String name, String value, String message) {
        WrongSetting wrong = assertThrows(WrongSetting.class, () -> read(name, Optional.ofNullable(value).orElse("")));
        assertEquals(message, wrong.getMessage());
    }

    private static Settings read(String name, String value) {
        Map<String, String> environment = new HashMap<>(Map.of("MM_CATALOG_URL", CATALOG, "MM_ORDERS_URL", ORDERS));
        environment.put(name, value);
        return Settings.read(environment);
    }
}
