package org.middlemark.petstore.settings;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.middlemark.settings.DataAccess;
import org.middlemark.settings.DatabaseAddress;
import org.middlemark.settings.ServicesAddress;
import org.middlemark.settings.Variables;
import org.middlemark.settings.WrongSetting;

/**
 * What the operator has chosen for this process (specs/petstore/README.md, "Settings"), read once at the start.
 *
 * @param serviceUrl nothing when the process calls its own web service
 */
public record Settings(Set<Role> roles, String host, int port, Databases databases, DataAccess dataAccess,
        Optional<ServicesAddress> serviceUrl, int catalogSeconds, int sessionSeconds, int recoverySeconds) {
    private static final String ALL = "all";

    /**
     * The databases and the most connections to each.
     *
     * @param catalog nothing in a process without the web tier
     */
    public record Databases(Optional<DatabaseAddress> catalog, int catalogPool, DatabaseAddress orders,
            int ordersPool) {
    }

    /** Reads the variables; {@link WrongSetting} for the first that is wrong. */
    public static Settings read(Map<String, String> environment) {
        Variables variables = new Variables(environment);
        Set<Role> roles = roles(variables.text("MM_ROLE", ALL));
        return new Settings(roles, variables.text("MM_HOST", "127.0.0.1"), variables.port("MM_PORT", 8080),
                databases(variables, roles),
                variables.choice("MM_DATA_ACCESS", DataAccess.values(), DataAccess::word, DataAccess.JDBC),
                serviceUrl(variables.text("MM_SERVICE_URL", ""), roles),
                variables.number("MM_CATALOG_SECONDS", 86_400, 0),
                variables.number("MM_SESSION_SECONDS", 600, 1), variables.number("MM_RECOVERY_SECONDS", 5, 1));
    }

    /** Where the page of a remote order finds the web service. */
    public ServicesAddress service() {
        return serviceUrl.orElse(new ServicesAddress("0.0.0.0".equals(host) ? "127.0.0.1" : host, port));
    }

    private static Set<Role> roles(String value) {
        Set<Role> roles = EnumSet.noneOf(Role.class);
        for (String word : value.split(",", -1)) {
            roles.addAll(ALL.equals(word) ? EnumSet.allOf(Role.class) : Set.of(role(word, value)));
        }
        return roles;
    }

    private static Role role(String word, String value) {
        return Arrays.stream(Role.values()).filter(role -> role.word().equals(word)).findFirst()
                .orElseThrow(() -> new WrongSetting("MM_ROLE", value,
                        "a comma list of all, " + Variables.words(Role.values(), Role::word)));
    }

    private static Databases databases(Variables variables, Set<Role> roles) {
        Optional<DatabaseAddress> catalog = roles.contains(Role.WEB)
                ? Optional.of(database(variables, "MM_CATALOG_URL")) : Optional.empty();
        return new Databases(catalog, variables.number("MM_CATALOG_POOL", 20, 1),
                database(variables, "MM_ORDERS_URL"), variables.number("MM_ORDERS_POOL", 20, 1));
    }

    private static DatabaseAddress database(Variables variables, String name) {
        return DatabaseAddress.read(name, variables.text(name, ""));
    }

    private static Optional<ServicesAddress> serviceUrl(String value, Set<Role> roles) {
        if (value.isEmpty() && roles.contains(Role.ORDER_SERVICE)) {
            return Optional.empty();
        }
        return Optional.of(ServicesAddress.read(value)
                .orElseThrow(() -> new WrongSetting("MM_SERVICE_URL", value, "http://host:port")));
    }
}
