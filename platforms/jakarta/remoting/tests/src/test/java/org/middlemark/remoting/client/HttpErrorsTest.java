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
import org.junit.jupiter.api.AfterEach;
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

/** Errors over HTTP, as a user of the client reads them. */
class HttpErrorsTest {
    private static final String MESSAGE = "Because of <ä>.";
    private static final String FAULT_WITHOUT_CODE = """
            <s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><s:Fault>
            <faultcode>s:%s</faultcode><faultstring>Unmarshalling Error</faultstring>
            </s:Fault></s:Body></s:Envelope>""";

    private HttpServer server;
    private Proxies proxies;
    private int status;
    private String type;
    private byte[] body;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        server.createContext("/services/", this::answer);
        server.start();
        proxies = new Proxies(Settings.read(Map.of("MM_ROLE", "client", "MM_SERVICE_URL",
                "http://127.0.0.1:" + server.getAddress().getPort())), Optional.empty());
    }

    @AfterEach
    void stop() {
        proxies.close();
        server.stop(0);
    }

    private synchronized void answer(HttpExchange exchange) throws IOException {
        exchange.getRequestBody().readAllBytes();
        exchange.getResponseHeaders().set("Content-Type", type);
        exchange.sendResponseHeaders(status, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    private synchronized void answers(int answeredStatus, String answeredType, byte[] answeredBody) {
        status = answeredStatus;
        type = answeredType;
        body = answeredBody;
    }

    private Refusal refused(Protocol protocol) {
        try (Lease lease = proxies.take(protocol)) {
            return assertThrows(Refusal.class, () -> proxies.call(lease.proxy(), lease.proxy()::loadProducts));
        }
    }

    @ParameterizedTest
    @FieldSource("org.middlemark.remoting.domain.Codes#ALL")
    void aCodeIsTheSameOverEachProtocol(Code code) {
        answers(code.httpStatus(), "application/json",
                ("{\"code\":\"" + code.word() + "\",\"message\":\"" + MESSAGE + "\"}").getBytes(StandardCharsets.UTF_8));
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
}
