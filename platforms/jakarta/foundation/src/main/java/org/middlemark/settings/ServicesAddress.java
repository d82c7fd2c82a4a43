package org.middlemark.settings;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Optional;

/** Where the services are: {@code http://host:port}. */
public record ServicesAddress(String host, int port) {

    /** Reads {@code http://host:port}, also with one slash behind; nothing for any other text. */
    public static Optional<ServicesAddress> read(String text) {
        try {
            URI address = new URI(text);
            boolean bare = address.getRawPath() == null || address.getRawPath().isEmpty()
                    || "/".equals(address.getRawPath());
            boolean plain = address.getRawQuery() == null && address.getRawFragment() == null
                    && address.getRawUserInfo() == null;
            if ("http".equals(address.getScheme()) && address.getHost() != null && address.getPort() > 0 && bare
                    && plain) {
                return Optional.of(new ServicesAddress(address.getHost(), address.getPort()));
            }
        } catch (URISyntaxException malformed) {
            return Optional.empty();
        }
        return Optional.empty();
    }

    @Override
    public String toString() {
        return "http://" + host + ":" + port;
    }
}
