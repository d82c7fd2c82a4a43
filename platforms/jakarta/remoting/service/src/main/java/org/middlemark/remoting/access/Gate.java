package org.middlemark.remoting.access;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.middlemark.remoting.domain.Authentication;
import org.middlemark.remoting.domain.Codes;
import org.middlemark.remoting.settings.Settings;
import org.middlemark.remoting.tls.Pem;

/** Lets a call in or refuses it. It keeps nothing of a call that it has checked. */
public final class Gate {
    private static final String ROLE = "caller";
    private static final String PASSWORD = "xxx";
    private static final Map<String, Caller> USERS = Map.of(
            "caller", new Caller("caller", Set.of(ROLE)),
            "guest", new Caller("guest", Set.of()));
    private static final String BASIC = "Basic ";
    private static final String BEARER = "Bearer ";

    private final Authentication authentication;
    private final Tokens tokens;

    /** A gate for an authentication; {@code tokens} is null with any other than {@code token}. */
    public Gate(Authentication authentication, Tokens tokens) {
        this.authentication = authentication;
        this.tokens = tokens;
    }

    /** The gate of the settings. */
    public static Gate of(Settings settings) {
        Authentication authentication = settings.authentication();
        Tokens tokens = authentication == Authentication.TOKEN
                ? new Tokens(Pem.publicKey("MM_TOKEN_KEY", settings.credentials().tokenKey())) : null;
        return new Gate(authentication, tokens);
    }

    /** The value of HTTP's header {@code WWW-Authenticate}; nothing where no header helps. */
    public Optional<String> challenge() {
        return switch (authentication) {
            case PASSWORD -> Optional.of("Basic realm=\"remoting\", charset=\"UTF-8\"");
            case TOKEN -> Optional.of("Bearer realm=\"remoting\"");
            case NONE, CERTIFICATE -> Optional.empty();
        };
    }

    /**
     * Refuses a call that is not allowed.
     *
     * @param authorization as in HTTP's header of this name; null or empty without one
     * @param certified the user whom the connection's certificate names; nothing without a certificate
     */
    public void admit(String authorization, Optional<Caller> certified) {
        if (authentication == Authentication.NONE) {
            return;
        }
        String shown = authorization == null ? "" : authorization;
        Optional<Caller> caller = switch (authentication) {
            case NONE -> Optional.empty();
            case PASSWORD -> after(BASIC, shown).flatMap(Gate::user);
            case TOKEN -> after(BEARER, shown).flatMap(tokens::caller);
            case CERTIFICATE -> certified;
        };
        if (!caller.orElseThrow(Codes::unauthenticated).roles().contains(ROLE)) {
            throw Codes.forbidden();
        }
    }

    /** The scheme is compared without regard to case (RFC 9110, 11.1). */
    private static Optional<String> after(String scheme, String shown) {
        return shown.regionMatches(true, 0, scheme, 0, scheme.length())
                ? Optional.of(shown.substring(scheme.length()).strip()) : Optional.empty();
    }

    private static Optional<Caller> user(String encoded) {
        try {
            String[] pair = new String(Base64.getDecoder().decode(encoded), StandardCharsets.UTF_8).split(":", 2);
            return pair.length == 2 && PASSWORD.equals(pair[1]) ? Optional.ofNullable(USERS.get(pair[0]))
                    : Optional.empty();
        } catch (IllegalArgumentException notBase64) {
            return Optional.empty();
        }
    }
}
