package org.middlemark.remoting.access;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.proc.BadJOSEException;
import com.nimbusds.jose.proc.SecurityContext;
import com.nimbusds.jose.proc.SingleKeyJWSKeySelector;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.proc.DefaultJWTClaimsVerifier;
import com.nimbusds.jwt.proc.DefaultJWTProcessor;
import java.security.interfaces.RSAPublicKey;
import java.text.ParseException;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Checks JSON Web Tokens: signature (RS256), time, audience. */
public final class Tokens {
    private static final String AUDIENCE = "remoting";
    private static final int TOLERANCE_SECONDS = 60;

    private final DefaultJWTProcessor<SecurityContext> processor = new DefaultJWTProcessor<>();

    /** Accepts tokens that the owner of this key has signed. */
    public Tokens(RSAPublicKey key) {
        processor.setJWSKeySelector(new SingleKeyJWSKeySelector<>(JWSAlgorithm.RS256, key));
        DefaultJWTClaimsVerifier<SecurityContext> claims =
                new DefaultJWTClaimsVerifier<>(AUDIENCE, null, Set.of("sub", "exp"));
        claims.setMaxClockSkew(TOLERANCE_SECONDS);
        processor.setJWTClaimsSetVerifier(claims);
    }

    /** The user of a token; nothing for a token that does not hold. */
    Optional<Caller> caller(String token) {
        try {
            JWTClaimsSet claims = processor.process(token, null);
            List<String> roles = claims.getStringListClaim("roles");
            return Optional.of(new Caller(claims.getSubject(), roles == null ? Set.of() : new HashSet<>(roles)));
        } catch (ParseException | BadJOSEException | JOSEException refused) {
            return Optional.empty();
        }
    }
}
