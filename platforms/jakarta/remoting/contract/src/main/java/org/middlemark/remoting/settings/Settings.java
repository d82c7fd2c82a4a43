package org.middlemark.remoting.settings;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.middlemark.remoting.domain.Authentication;
import org.middlemark.settings.DatabaseAddress;
import org.middlemark.settings.Variables;
import org.middlemark.settings.WrongSetting;

/**
 * The choices of the operator for this process (specs/remoting/README.md, "Settings"), read once at the start.
 *
 * @param database nothing in a process without the service
 */
public record Settings(Set<Role> roles, Listening listening, Optional<DatabaseAddress> database, int databasePool,
        Authentication authentication, Connections connections, Addresses addresses, Credentials credentials) {
    private static final String ALL = "all";

    /** Reads the variables; {@link WrongSetting} for the first that is wrong. */
    public static Settings read(Map<String, String> environment) {
        Variables variables = new Variables(environment);
        Set<Role> roles = roles(variables.text("MM_ROLE", ALL));
        Authentication authentication = variables.choice("MM_AUTHENTICATION", Authentication.values(),
                Authentication::word, Authentication.NONE);
        Optional<DatabaseAddress> database = roles.contains(Role.SERVICE)
                ? Optional.of(DatabaseAddress.read("MM_DATABASE_URL", variables.text("MM_DATABASE_URL", "")))
                : Optional.empty();
        return new Settings(roles, Listening.read(variables), database, variables.number("MM_DATABASE_POOL", 20, 1),
                authentication,
                variables.choice("MM_CONNECTIONS", Connections.values(), Connections::word, Connections.SHARED),
                Addresses.read(variables), Credentials.read(variables, roles, authentication));
    }

    /** Every setting by its name as {@code /about} shows it. */
    public Map<String, String> shown() {
        Map<String, String> shown = new LinkedHashMap<>();
        shown.put("role", roles.stream().map(Role::word).collect(Collectors.joining(",")));
        shown.putAll(listening.shown());
        shown.put("database_url", database.map(DatabaseAddress::shown).orElse(""));
        shown.put("database_pool", Integer.toString(databasePool));
        shown.put("authentication", authentication.word());
        shown.put("connections", connections.word());
        shown.putAll(addresses.shown());
        shown.putAll(credentials.shown());
        return shown;
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
}
