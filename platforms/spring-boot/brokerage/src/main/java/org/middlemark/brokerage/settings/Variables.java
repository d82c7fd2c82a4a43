package org.middlemark.brokerage.settings;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Map;

/** Reads the environment. A variable with the empty text is missing. */
final class Variables {

    private static final int LAST_PORT = 65_535;

    private final Map<String, String> environment;

    Variables(Map<String, String> environment) {
        this.environment = environment;
    }

    String text(String name, String missing) {
        String value = environment.getOrDefault(name, "");
        return value.isEmpty() ? missing : value;
    }

    String choice(String name, List<String> allowed) throws WrongSetting {
        String value = text(name, allowed.get(0));
        if (!allowed.contains(value)) {
            throw new WrongSetting(name, value, String.join(", ", allowed));
        }
        return value;
    }

    int port(String name, int missing) throws WrongSetting {
        return number(name, missing, 1, LAST_PORT);
    }

    int number(String name, int missing, int least) throws WrongSetting {
        return number(name, missing, least, Integer.MAX_VALUE);
    }

    /** Returns an address of the scheme with host and port, or null where it is missing. */
    URI address(String name, String scheme, String form) throws WrongSetting {
        String value = text(name, "");
        if (value.isEmpty()) {
            return null;
        }
        try {
            URI address = new URI(value);
            int port = address.getPort();
            if (scheme.equals(address.getScheme()) && address.getHost() != null && port > 0 && port <= LAST_PORT) {
                return address;
            }
        } catch (URISyntaxException noAddress) {
            // The same as any other text that is none: what is allowed is said below.
        }
        throw new WrongSetting(name, withoutPassword(value), form);
    }

    private int number(String name, int missing, int least, int most) throws WrongSetting {
        String value = text(name, Integer.toString(missing));
        try {
            int number = Integer.parseInt(value);
            if (number >= least && number <= most) {
                return number;
            }
        } catch (NumberFormatException noNumber) {
            // The same as a number outside of the limits: what is allowed is said below.
        }
        throw new WrongSetting(name, value, "a whole number from " + least + " to " + most);
    }

    static String withoutPassword(String address) {
        return address.replaceFirst("//([^:@/]*):[^@]*@", "//$1@");
    }
}
