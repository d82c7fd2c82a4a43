package org.middlemark.remoting.access;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import java.nio.charset.StandardCharsets;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.NoSuchAlgorithmException;
import java.security.interfaces.RSAPublicKey;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullAndEmptySource;
import org.junit.jupiter.params.provider.ValueSource;
import org.middlemark.refusals.Code;
import org.middlemark.refusals.Refusal;
import org.middlemark.remoting.domain.Authentication;
import org.middlemark.remoting.domain.Codes;

class GateTest {
    private static final KeyPair SIGNER = pair();
    private static final KeyPair STRANGER = pair();

    private final Gate passwords = new Gate(Authentication.PASSWORD, null);
    private final Gate certificates = new Gate(Authentication.CERTIFICATE, null);
    private final Gate tokens = new Gate(Authentication.TOKEN, new Tokens((RSAPublicKey) SIGNER.getPublic()));

    private static KeyPair pair() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
            generator.initialize(2048);
            return generator.generateKeyPair();
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private static String basic(String pair) {
        return "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8));
    }

    private static String bearer(KeyPair signer, String audience, int secondsLeft, List<String> roles)
            throws JOSEException {
        SignedJWT token = new SignedJWT(new JWSHeader(JWSAlgorithm.RS256), new JWTClaimsSet.Builder().subject("caller")
                .audience(audience).expirationTime(Date.from(Instant.now().plusSeconds(secondsLeft)))
                .claim("roles", roles).build());
        token.sign(new RSASSASigner(signer.getPrivate()));
        return "Bearer " + token.serialize();
    }

    private static void assertRefused(Code code, Gate gate, String authorization) {
        Refusal refusal = assertThrows(Refusal.class, () -> gate.admit(authorization, Optional.empty()));
        assertEquals(code, refusal.code());
    }

    @Test
    void withoutAuthenticationEverybodyMayCall() {
        assertDoesNotThrow(() -> new Gate(Authentication.NONE, null).admit(null, Optional.empty()));
    }

    @Test
    void thePasswordTellsWhoMayCall() {
        assertDoesNotThrow(() -> passwords.admit(basic("caller:xxx"), Optional.empty()));
        assertRefused(Codes.FORBIDDEN, passwords, basic("guest:xxx"));
        assertRefused(Codes.UNAUTHENTICATED, passwords, basic("caller:www"));
        assertRefused(Codes.UNAUTHENTICATED, passwords, basic("nobody:xxx"));
        assertRefused(Codes.UNAUTHENTICATED, passwords, basic("caller"));
    }

    @ParameterizedTest
    @NullAndEmptySource
    @ValueSource(strings = {"Basic", "Basic %%%", "Bearer e30.e30.", "xxx"})
    void anythingElseIsNobody(String authorization) {
        assertRefused(Codes.UNAUTHENTICATED, passwords, authorization);
        assertRefused(Codes.UNAUTHENTICATED, tokens, authorization);
        assertRefused(Codes.UNAUTHENTICATED, certificates, authorization);
    }

    @Test
    void aTokenHoldsByItsSignerItsAudienceAndItsTime() throws JOSEException {
        List<String> roles = List.of("caller");
        String good = bearer(SIGNER, "remoting", 300, roles);
        assertDoesNotThrow(() -> tokens.admit(good, Optional.empty()));
        String justOver = bearer(SIGNER, "remoting", -30, roles);
        assertDoesNotThrow(() -> tokens.admit(justOver, Optional.empty()));
        assertRefused(Codes.UNAUTHENTICATED, tokens, bearer(STRANGER, "remoting", 300, roles));
        assertRefused(Codes.UNAUTHENTICATED, tokens, bearer(SIGNER, "brokerage", 300, roles));
        assertRefused(Codes.UNAUTHENTICATED, tokens, bearer(SIGNER, "remoting", -90, roles));
        assertRefused(Codes.FORBIDDEN, tokens, bearer(SIGNER, "remoting", 300, List.of()));
        assertRefused(Codes.UNAUTHENTICATED, tokens, good.substring(0, good.length() - 8));
    }

    @Test
    void aCertificateTellsUserAndRole() {
        assertDoesNotThrow(() -> certificates.admit(null, Optional.of(new Caller("caller", Set.of("caller")))));
        Refusal refusal = assertThrows(Refusal.class,
                () -> certificates.admit(null, Optional.of(new Caller("guest", Set.of("guest")))));
        assertEquals(Codes.FORBIDDEN, refusal.code());
    }
}
