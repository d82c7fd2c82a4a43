package org.middlemark.remoting.settings;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.middlemark.remoting.domain.Authentication;
import org.middlemark.remoting.tls.Identity;
import org.middlemark.settings.Variables;
import org.middlemark.settings.WrongSetting;

/** The settings of an authentication; the empty text where one is not set. All but the token are paths of PEM files. */
public record Credentials(String token, String tokenKey, String certificate, String key, String authority) {

    static Credentials read(Variables variables, Set<Role> roles, Authentication authentication) {
        boolean isToken = authentication == Authentication.TOKEN;
        boolean isCertificate = authentication == Authentication.CERTIFICATE;
        return new Credentials(text(variables, "MM_TOKEN", isToken && roles.contains(Role.CLIENT)),
                text(variables, "MM_TOKEN_KEY", isToken && roles.contains(Role.SERVICE)),
                text(variables, "MM_CERTIFICATE", isCertificate), text(variables, "MM_KEY", isCertificate),
                text(variables, "MM_AUTHORITY", isCertificate));
    }

    /** The certificate of the process, with the authentication {@code certificate}. */
    public Identity identity() {
        return Identity.read(certificate, key, authority);
    }

    Map<String, String> shown() {
        Map<String, String> shown = new LinkedHashMap<>();
        shown.put("token", token.isEmpty() ? "" : "secret");
        shown.put("token_key", tokenKey);
        shown.put("certificate", certificate);
        shown.put("key", key);
        shown.put("authority", authority);
        return shown;
    }

    private static String text(Variables variables, String name, boolean needed) {
        String value = variables.text(name, "");
        if (needed && value.isEmpty()) {
            throw new WrongSetting(name, value, "a value, needed with this MM_AUTHENTICATION");
        }
        return value;
    }
}
