package org.middlemark.remoting.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.interfaces.RSAPublicKey;
import java.time.Instant;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ForkJoinPool;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.middlemark.refusals.Refusal;
import org.middlemark.remoting.access.Gate;
import org.middlemark.remoting.access.Tokens;
import org.middlemark.remoting.client.proxies.Proxies;
import org.middlemark.remoting.client.proxies.Proxies.Lease;
import org.middlemark.remoting.domain.Authentication;
import org.middlemark.remoting.domain.Protocol;
import org.middlemark.remoting.grpc.GrpcListener;
import org.middlemark.remoting.settings.Settings;
import org.middlemark.remoting.sockets.ProtobufConversation;
import org.middlemark.remoting.sockets.StreamListener;
import org.middlemark.remoting.sockets.TcpAcceptor;
import org.middlemark.remoting.tls.Identity;

/** Access over the two protocols that check it without a server. */
class AccessTest {
    private static final String HOST = "127.0.0.1";

    @TempDir
    private Path folder;
    private final KnownService service = new KnownService();

    /** Frames and gRPC behind a gate. */
    private final class Guarded implements AutoCloseable {
        private final TcpAcceptor acceptor;
        private final StreamListener frames;
        private final GrpcListener grpc;

        Guarded(Gate gate, Optional<Identity> identity) throws IOException {
            InetSocketAddress free = new InetSocketAddress(HOST, 0);
            acceptor = new TcpAcceptor(free, identity);
            frames = StreamListener.start(acceptor, new ProtobufConversation(service, gate), Thread::new);
            grpc = GrpcListener.start(free, identity, service, gate, ForkJoinPool.commonPool());
        }

        /** The code with which calls are refused, the same over both; "answered" for none. */
        String outcome(Map<String, String> shown) {
            Map<String, String> environment = new HashMap<>(shown);
            environment.put("MM_ROLE", "client");
            environment.put("MM_SERVICE_TCP", HOST + ":" + acceptor.localPort());
            environment.put("MM_SERVICE_GRPC", HOST + ":" + grpc.localPort());
            try (Proxies proxies = new Proxies(Settings.read(environment), Optional.empty())) {
                String overFrames = outcome(proxies, Protocol.TCP_PROTOBUF);
                assertEquals(overFrames, outcome(proxies, Protocol.GRPC));
                return overFrames;
            }
        }

        /** The second call goes over the connection of the first one. */
        private String outcome(Proxies proxies, Protocol protocol) {
            try (Lease lease = proxies.take(protocol)) {
                String first = outcome(proxies, lease);
                assertEquals(first, outcome(proxies, lease));
                return first;
            }
        }

        private String outcome(Proxies proxies, Lease lease) {
            try {
                proxies.call(lease.proxy(), lease.proxy()::loadProducts);
                return "answered";
            } catch (Refusal refusal) {
                return refusal.code().word();
            }
        }

        @Override
        public void close() throws IOException {
            frames.close();
            grpc.close();
        }
    }

    private static String token(KeyPair signer, List<String> roles) throws JOSEException {
        SignedJWT token = new SignedJWT(new JWSHeader(JWSAlgorithm.RS256), new JWTClaimsSet.Builder().subject("caller")
                .audience("remoting").expirationTime(Date.from(Instant.now().plusSeconds(300))).claim("roles", roles)
                .build());
        token.sign(new RSASSASigner(signer.getPrivate()));
        return token.serialize();
    }

    private static Map<String, String> showing(String token) {
        return Map.of("MM_AUTHENTICATION", "token", "MM_TOKEN", token);
    }

    @Test
    void aTokenIsCheckedForEachCall() throws IOException, JOSEException, GeneralSecurityException {
        KeyPair signer = KeyPairGenerator.getInstance("RSA").generateKeyPair();
        Gate gate = new Gate(Authentication.TOKEN, new Tokens((RSAPublicKey) signer.getPublic()));
        try (Guarded guarded = new Guarded(gate, Optional.empty())) {
            assertEquals("answered", guarded.outcome(showing(token(signer, List.of("caller")))));
            assertEquals("forbidden", guarded.outcome(showing(token(signer, List.of("guest")))));
            assertEquals("unauthenticated", guarded.outcome(showing("e30.e30.")));
            assertEquals("unauthenticated", guarded.outcome(Map.of()));
        }
    }

    @Test
    void aCertificateIsOfTheAuthorityAndHasTheRole() throws IOException, InterruptedException {
        Certificates known = new Certificates(folder.resolve("known")).sign("service", "service", HOST)
                .sign("caller", "caller", HOST).sign("guest", "guest", HOST);
        Certificates foreign = new Certificates(folder.resolve("foreign")).sign("caller", "caller", HOST);
        Map<String, String> stranger = new HashMap<>(foreign.variables("caller"));
        stranger.put("MM_AUTHORITY", known.certificate("authority"));
        Gate gate = new Gate(Authentication.CERTIFICATE, null);
        try (Guarded guarded = new Guarded(gate, Optional.of(known.identity("service")))) {
            assertEquals("answered", guarded.outcome(known.variables("caller")));
            assertEquals("forbidden", guarded.outcome(known.variables("guest")));
            assertEquals("unavailable", guarded.outcome(stranger));
            assertEquals("unavailable", guarded.outcome(foreign.variables("caller")));
            assertEquals("unavailable", guarded.outcome(Map.of()));
        }
    }

    @Test
    void theServiceHasTheCertificateOfItsAddress() throws IOException, InterruptedException {
        Certificates known = new Certificates(folder).sign("service", "service", "127.0.0.2")
                .sign("caller", "caller", HOST);
        Gate gate = new Gate(Authentication.CERTIFICATE, null);
        try (Guarded guarded = new Guarded(gate, Optional.of(known.identity("service")))) {
            assertEquals("unavailable", guarded.outcome(known.variables("caller")));
        }
    }

    @Test
    void aProtocolThatIsNotOfferedHasNoAddress() {
        Settings settings = Settings.read(Map.of("MM_ROLE", "client", "MM_AUTHENTICATION", "password",
                "MM_SERVICE_TCP", HOST + ":1", "MM_SERVICE_NATIVE", HOST + ":1"));
        try (Proxies proxies = new Proxies(settings, Optional.empty())) {
            assertTrue(proxies.called().isEmpty());
            assertFalse(proxies.offers(Protocol.RMI));
            assertTrue(proxies.offers(Protocol.JSON));
        }
    }
}
