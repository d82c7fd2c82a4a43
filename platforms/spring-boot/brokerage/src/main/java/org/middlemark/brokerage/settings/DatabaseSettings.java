package org.middlemark.brokerage.settings;

import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;

/** Where the database is and how many connections to it there may be. */
public record DatabaseSettings(URI address, int pool) {

    static final String FORM = "postgresql://user:password@host:port/name";

    static DatabaseSettings read(Variables variables) throws WrongSetting {
        URI address = variables.address("MM_DATABASE_URL", "postgresql", FORM);
        if (address != null && (address.getRawUserInfo() == null || address.getRawPath().length() < 2)) {
            throw new WrongSetting("MM_DATABASE_URL", shown(address), FORM);
        }
        return new DatabaseSettings(address, variables.number("MM_DATABASE_POOL", 20, 1));
    }

    String jdbcUrl() {
        return "jdbc:" + address.getScheme() + "://" + address.getHost() + ":" + address.getPort() + pathAndQuery(address);
    }

    String user() {
        return decoded(address.getRawUserInfo().split(":", 2)[0]);
    }

    String password() {
        String[] user = address.getRawUserInfo().split(":", 2);
        return user.length == 1 ? "" : decoded(user[1]);
    }

    /** The address without the password; empty where there is none. */
    String shown() {
        return address == null ? "" : shown(address);
    }

    private static String shown(URI address) {
        String user = address.getRawUserInfo() == null ? "" : address.getRawUserInfo().split(":", 2)[0] + "@";
        return address.getScheme() + "://" + user + address.getHost() + ":" + address.getPort() + pathAndQuery(address);
    }

    private static String pathAndQuery(URI address) {
        return address.getRawPath() + (address.getRawQuery() == null ? "" : "?" + address.getRawQuery());
    }

    /** In an address a plus is a plus: only what is percent-encoded means something else. */
    private static String decoded(String text) {
        return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    }
}
