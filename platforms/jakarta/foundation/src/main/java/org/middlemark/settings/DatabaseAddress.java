package org.middlemark.settings;

import java.net.URI;
import java.net.URISyntaxException;

/**
 * Where the database is: {@code postgresql://user:password@host:port/name}. The server's data source is made from it.
 */
public record DatabaseAddress(URI address) {
    private static final String ALLOWED = "postgresql://user:password@host:port/name";

    /** Reads the value of a variable; {@link WrongSetting} for any other text. */
    public static DatabaseAddress read(String variable, String text) {
        try {
            URI address = new URI(text);
            if ("postgresql".equals(address.getScheme()) && address.getHost() != null && address.getUserInfo() != null
                    && address.getPath().length() > 1) {
                return new DatabaseAddress(address);
            }
        } catch (URISyntaxException malformed) {
            throw new WrongSetting(variable, "malformed", ALLOWED);
        }
        throw new WrongSetting(variable, text.isEmpty() ? text : "incomplete", ALLOWED);
    }

    /** The address without the password. */
    public String shown() {
        String user = address.getRawUserInfo().replaceFirst(":.*", "");
        String port = address.getPort() < 0 ? "" : ":" + address.getPort();
        return "postgresql://" + user + "@" + address.getHost() + port + address.getRawPath();
    }
}
