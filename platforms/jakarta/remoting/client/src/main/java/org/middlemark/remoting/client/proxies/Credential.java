package org.middlemark.remoting.client.proxies;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Optional;
import org.middlemark.remoting.domain.Authentication;
import org.middlemark.remoting.settings.Settings;
import org.middlemark.remoting.tls.Identity;

/**
 * The credentials that the client shows.
 *
 * @param authorization as in HTTP's header of this name; empty for nothing
 * @param identity for mutual TLS
 */
record Credential(String authorization, Optional<Identity> identity) {
    private static final String PASSWORD = "caller:xxx";

    /** The credentials for the authentication of the settings. */
    static Credential of(Settings settings) {
        String password = Base64.getEncoder().encodeToString(PASSWORD.getBytes(StandardCharsets.UTF_8));
        String authorization = switch (settings.authentication()) {
            case NONE, CERTIFICATE -> "";
            case PASSWORD -> "Basic " + password;
            case TOKEN -> "Bearer " + settings.credentials().token();
        };
        return new Credential(authorization, settings.authentication() == Authentication.CERTIFICATE
                ? Optional.of(settings.credentials().identity()) : Optional.empty());
    }
}
