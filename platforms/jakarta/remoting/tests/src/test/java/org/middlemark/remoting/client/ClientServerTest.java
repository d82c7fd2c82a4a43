package org.middlemark.remoting.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.middlemark.refusals.Refusal;
import org.middlemark.remoting.client.proxies.Proxies;
import org.middlemark.remoting.settings.Listening;
import org.middlemark.remoting.settings.Settings;

/** The addresses of the client, whose service is in the same virtual machine. */
class ClientServerTest {
    private static final int RECORD = 24;
    /** The place of the outcome in a record. */
    private static final int OUTCOME = 15;

    @TempDir
    private Path folder;
    private final HttpClient http = HttpClient.newHttpClient();
    private final KnownService service = new KnownService();
    private OfferedProtocols offered;
    private Proxies proxies;
    private ClientServer server;

    @BeforeAll
    static void setProperties() {
        ClientApplication.PROPERTIES.forEach((property, setting) -> System.setProperty(property, setting.value()));
    }

    @BeforeEach
    void start() throws IOException {
        offered = new OfferedProtocols(service, folder);
        Settings settings = offered.settings("shared");
        proxies = new Proxies(settings, Optional.of(service));
        Listening free = new Listening("127.0.0.1", 0, 0, 0, 0, 0, 0, Optional.empty());
        server = ClientServer.start(new ClientApplication(settings), free, new ClientHealth(proxies, Optional.empty()),
                proxies);
    }

    @AfterEach
    void stop() throws IOException {
        server.stop();
        proxies.close();
        offered.close();
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path));
    }

    private HttpResponse<byte[]> get(String path) throws IOException, InterruptedException {
        return http.send(request(path).build(), BodyHandlers.ofByteArray());
    }

    private HttpResponse<String> post(String path, String body) throws IOException, InterruptedException {
        return http.send(request(path).POST(BodyPublishers.ofString(body)).build(), BodyHandlers.ofString());
    }

    private static String hash(HttpResponse<?> response) {
        return response.headers().firstValue("Answer-Hash").orElse("none");
    }

    @Test
    void oneCallIsAnsweredWithJson() throws IOException, InterruptedException {
        HttpResponse<String> response = post("/call/unix/loadCustomer", "{\"customerId\": \"C0017\"}");
        assertEquals(200, response.statusCode());
        assertTrue(response.body().contains("\"postalCode\":\"05003\""), response.body());
        assertEquals("{}", post("/call/tcp-protobuf/loadCustomer", "{\"customerId\": \"nobody\"}").body());
        assertEquals("{}", post("/call/grpc/ping", "").body());
        assertEquals("{\"orderId\":10248}", post("/call/local/storeOrder", "").body());
    }

    @ParameterizedTest
    @CsvSource({"/call/pigeon/ping, 404", "/call/unix/pong, 404", "/call/unix, 404", "/call/json/ping, 503"})
    void anAddressThatIsNotThereIsNotFound(String path, int status) throws IOException, InterruptedException {
        assertEquals(status, post(path, "").statusCode());
    }

    @ParameterizedTest
    @ValueSource(strings = {"{", "[]", "null", "{\"customerId\": null}", "{\"customerId\": {}}"})
    void aBodyThatIsNotTheRequestIsRefused(String body) throws IOException, InterruptedException {
        HttpResponse<String> response = post("/call/unix/loadCustomer", body);
        assertEquals(400, response.statusCode(), response.body());
        assertTrue(response.body().contains("invalid_input"), response.body());
    }

    @ParameterizedTest
    @CsvSource({"\"Bergen\", \"\\u0000\"", "\"Bergen\", \"\\ud83d\"", "\"Bergen\", null", "4.5, 1e999"})
    void anOrderThatSomeProtocolCannotCarryIsRefused(String sent, String other) throws IOException,
            InterruptedException {
        String order = order().replace(sent, other);
        HttpResponse<String> response = post("/call/unix/storeOrder", order);
        assertEquals(400, response.statusCode(), response.body());
        assertTrue(response.body().contains("invalid_input"), response.body());
        assertNull(service.stored.get());
    }

    private static String order() throws IOException {
        try (InputStream file = ClientServer.class.getResourceAsStream("/order.json")) {
            return new String(file.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void aBodyAbove4MiBIsRefused() throws IOException, InterruptedException {
        HttpResponse<String> response = post("/call/unix/ping", "{" + " ".repeat(4 << 20));
        assertEquals(400, response.statusCode());
        assertTrue(response.body().contains("4 MiB"), response.body());
    }

    @ParameterizedTest
    @CsvSource({"ping,0", "storeOrder,10248", "storeOrderTables,10249", "loadProducts,0", "loadProductsTables,0",
        "loadProductsConverted,0", "loadCustomer,0", "loadCustomerTables,0"})
    void aLoopReportsEachCallAndAnswersAsACallDoes(String operation, long id) throws IOException, InterruptedException {
        HttpResponse<byte[]> loop = get("/loop/tcp-protobuf/" + operation + "?calls=25");
        assertEquals(200, loop.statusCode());
        assertEquals(hash(post("/call/tcp-protobuf/" + operation, "")), hash(loop));
        assertEquals(25 * RECORD, loop.body().length);
        ByteBuffer records = ByteBuffer.wrap(loop.body());
        long before = 0;
        while (records.hasRemaining()) {
            long began = records.getLong();
            long took = records.getLong();
            assertTrue(began >= before, "calls are one after the other");
            assertEquals(0, took & 0xff, "answered as expected");
            assertEquals(id, records.getLong(), "the order that was stored");
            before = began + (took >>> 8);
        }
    }

    @Test
    void aLoopWhoseCallsAreRefusedSaysWhy() throws IOException, InterruptedException {
        service.failure.set(Refusal.internal(null));
        HttpResponse<byte[]> loop = get("/loop/unix/loadProducts?calls=3");
        assertEquals("none", hash(loop));
        assertEquals(6, loop.body()[2 * RECORD + OUTCOME]);
        HttpResponse<byte[]> unavailable = get("/loop/soap/ping?calls=2");
        assertEquals(200, unavailable.statusCode());
        assertEquals(5, unavailable.body()[OUTCOME]);
    }

    @Test
    void aLoopLastsItsSeconds() throws IOException, InterruptedException {
        byte[] records = get("/loop/grpc/ping?seconds=1").body();
        ByteBuffer last = ByteBuffer.wrap(records, records.length - RECORD, RECORD);
        assertTrue(last.getLong() < 1_000_000_000L);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "?seconds=0", "?seconds=61", "?calls=0", "?calls=1000001", "?calls=x",
        "?seconds=1&calls=1"})
    void aNumberOutsideOfItsLimitsIsRefused(String query) throws IOException, InterruptedException {
        assertEquals(400, get("/loop/unix/ping" + query).statusCode());
    }

    @Test
    void aRequestThatIsNotCompleteInTimeClosesItsConnection() throws IOException {
        long began = System.nanoTime();
        try (Socket socket = new Socket("127.0.0.1", server.port())) {
            socket.setSoTimeout(15_000);
            socket.getOutputStream().write("POST /call/unix/ping HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{"
                    .getBytes(StandardCharsets.US_ASCII));
            assertEquals(-1, socket.getInputStream().read());
        }
        assertTrue(System.nanoTime() - began > 9_000_000_000L);
    }

    @Test
    void theProcessTellsHowItIs() throws IOException, InterruptedException {
        assertEquals("ok", new String(get("/health").body(), StandardCharsets.UTF_8));
        String about = new String(get("/about").body(), StandardCharsets.UTF_8);
        assertTrue(about.contains("\"roles\":[\"client\"]"), about);
        service.failure.set(new IllegalStateException("ended"));
        assertEquals(503, get("/health").statusCode());
    }
}
