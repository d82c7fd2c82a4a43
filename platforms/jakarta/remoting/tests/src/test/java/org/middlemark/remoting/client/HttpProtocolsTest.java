package org.middlemark.remoting.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;
import org.middlemark.refusals.Code;
import org.middlemark.refusals.Refusal;
import org.middlemark.remoting.client.proxies.Proxies;
import org.middlemark.remoting.client.proxies.Proxies.Lease;
import org.middlemark.remoting.domain.Protocol;
import org.middlemark.remoting.settings.Settings;
import org.middlemark.remoting.soap.Envelopes;
import org.middlemark.remoting.soap.wire.PingResponse;

/** The client's side of the protocols over HTTP, against a server that gives the same answer to every request. */
class HttpProtocolsTest {
    private static final int CALLS = 5;
    private static final String MESSAGE = "Because of <ä>.";
    private static final String FAULT_WITHOUT_CODE = """
            <s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><s:Fault>
            <faultcode>s:%s</faultcode><faultstring>Unmarshalling Error</faultstring>
            </s:Fault></s:Body></s:Envelope>""";

    private final Set<InetSocketAddress> callers = ConcurrentHashMap.newKeySet();
    private HttpServer server;
    private int status;
    private String type;
    private byte[] body;

    @BeforeAll
    static void setProperties() {
        ClientApplication.PROPERTIES.forEach((property, setting) -> System.setProperty(property, setting.value()));
    }

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        server.createContext("/services/", this::answer);
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private synchronized void answer(HttpExchange exchange) throws IOException {
        callers.add(exchange.getRemoteAddress());
        exchange.getRequestBody().readAllBytes();
        exchange.getResponseHeaders().set("Content-Type", type);
        if ("close".equals(exchange.getRequestHeaders().getFirst("Connection"))) {
            // Application servers answer so; the JDK's server closes the connection without it.
            exchange.getResponseHeaders().set("Connection", "close");
        }
        exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    private synchronized void answers(int answeredStatus, String answeredType, byte[] answeredBody) {
        status = answeredStatus;
        type = answeredType;
        body = answeredBody;
    }

    private Proxies proxies(String connections) {
        return new Proxies(Settings.read(Map.of("MM_ROLE", "client", "MM_CONNECTIONS", connections, "MM_SERVICE_URL",
                "http://127.0.0.1:" + server.getAddress().getPort())), Optional.empty());
    }

    private Refusal refused(Protocol protocol) {
        try (Proxies proxies = proxies("shared"); Lease lease = proxies.take(protocol)) {
            return assertThrows(Refusal.class, () -> proxies.call(lease.proxy(), lease.proxy()::loadProducts));
        }
    }

    @ParameterizedTest
    @FieldSource("org.middlemark.remoting.domain.Codes#ALL")
    void aCodeIsTheSameOverEachProtocol(Code code) {
        String failure = "{\"code\":\"" + code.word() + "\",\"message\":\"" + MESSAGE + "\"}";
        answers(code.httpStatus(), "application/json", failure.getBytes(StandardCharsets.UTF_8));
        Refusal overJson = refused(Protocol.JSON);
        Refusal overProtobuf = refused(Protocol.HTTP_PROTOBUF);
        answers(500, "text/xml; charset=utf-8", Envelopes.write(new Refusal(code, MESSAGE)));
        for (Refusal refusal : List.of(overJson, overProtobuf, refused(Protocol.SOAP))) {
            assertEquals(code, refusal.code());
            assertEquals(MESSAGE, refusal.getMessage());
        }
    }

    @ParameterizedTest
    @CsvSource({"Client, invalid_input", "Server, unavailable"})
    void aFaultWithoutACodeIsReadByItsFaultcode(String faultcode, String word) {
        answers(500, "text/xml; charset=utf-8", FAULT_WITHOUT_CODE.formatted(faultcode)
                .getBytes(StandardCharsets.UTF_8));
        assertEquals(word, refused(Protocol.SOAP).code().word());
    }

    @Test
    void anAnswerThatIsNotTheServicesIsUnavailable() {
        answers(404, "text/html", "<html>not deployed</html>".getBytes(StandardCharsets.UTF_8));
        for (Protocol protocol : List.of(Protocol.JSON, Protocol.HTTP_PROTOBUF, Protocol.SOAP)) {
            assertEquals(Code.UNAVAILABLE, refused(protocol).code(), protocol.word());
        }
    }

    @ParameterizedTest
    @CsvSource({"400, text/html", "413, text/html", "400, application/json"})
    void aStatusWithoutACodeThatBlamesTheRequestIsOfTheInput(int blaming, String ofType) {
        answers(blaming, ofType, "{}".getBytes(StandardCharsets.UTF_8));
        for (Protocol protocol : List.of(Protocol.JSON, Protocol.HTTP_PROTOBUF, Protocol.SOAP)) {
            assertEquals(Code.INVALID_INPUT, refused(protocol).code(), protocol.word());
        }
    }

    private int connections(String connections, Protocol protocol) {
        callers.clear();
        try (Proxies proxies = proxies(connections); Lease lease = proxies.take(protocol)) {
            for (int call = 0; call < CALLS; call++) {
                proxies.call(lease.proxy(), () -> {
                    lease.proxy().ping();
                    return protocol;
                });
            }
        }
        return callers.size();
    }

    private void assertKeptOrMadeForEachCall(Protocol protocol) {
        assertEquals(1, connections("shared", protocol), protocol.word());
        assertEquals(CALLS, connections("unshared", protocol), protocol.word());
    }

    @Test
    void aConnectionIsKeptOrMadeForEachCall() {
        answers(200, "application/json", "{}".getBytes(StandardCharsets.UTF_8));
        assertKeptOrMadeForEachCall(Protocol.JSON);
        answers(200, "text/xml; charset=utf-8", Envelopes.write(new PingResponse()));
        assertKeptOrMadeForEachCall(Protocol.SOAP);
        answers(200, "application/x-protobuf", new byte[0]);
        assertKeptOrMadeForEachCall(Protocol.HTTP_PROTOBUF);
    }
}
