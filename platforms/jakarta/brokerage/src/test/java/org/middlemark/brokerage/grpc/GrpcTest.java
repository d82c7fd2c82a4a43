package org.middlemark.brokerage.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.grpc.Server;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.middlemark.brokerage.domain.Order;
import org.middlemark.brokerage.domain.OrderStatus;
import org.middlemark.brokerage.domain.OrderType;
import org.middlemark.brokerage.domain.Quote;
import org.middlemark.brokerage.services.BrokerageServices;
import org.middlemark.brokerage.services.RemoteServices;
import org.middlemark.refusals.Code;
import org.middlemark.refusals.Refusal;
import org.middlemark.settings.ServicesAddress;

/** The binding over a real connection; what the services do is said by each test. */
class GrpcTest {
    private static final BigDecimal ONE = new BigDecimal("1.00");

    private final AtomicReference<Object> outcome = new AtomicReference<>();
    private Server server;
    private RemoteServices client;

    @BeforeEach
    void start() throws IOException {
        server = GrpcServer.listening("127.0.0.1", 0, services(), ForkJoinPool.commonPool());
        client = new GrpcBinding().connect(new ServicesAddress("127.0.0.1", server.getPort()), 2);
    }

    @AfterEach
    void stop() {
        client.close();
        server.shutdownNow();
    }

    @Test
    void answersArriveAsTheyWere() {
        Quote quote = new Quote("s:1", "Company", ONE, ONE, ONE, ONE, new BigDecimal("-0.50"), 7);
        outcome.set(List.of(quote));
        assertEquals(List.of(quote), client.getQuotes(List.of("s:1")));
        Instant now = Instant.parse("2026-01-31T08:00:00.123456Z");
        Order open = new Order(1, OrderType.BUY, OrderStatus.OPEN, "s:1", 2, ONE, ONE, now, null, null);
        outcome.set(List.of(open, open.closed(9, now)));
        assertEquals(List.of(open, open.closed(9, now)), client.getOrders("u", 2));
    }

    @ParameterizedTest
    @FieldSource("org.middlemark.brokerage.domain.Codes#ALL")
    void refusalsArriveAsTheyWere(Code code) {
        outcome.set(new Refusal(code, "Because of <ä>."));
        Refusal refusal = assertThrows(Refusal.class, () -> client.ping());
        assertEquals(code, refusal.code());
        assertEquals("Because of <ä>.", refusal.getMessage());
    }

    @Test
    void whatIsUnforeseenIsInternal() {
        outcome.set(new IllegalStateException("a secret"));
        Refusal refusal = assertThrows(Refusal.class, () -> client.getAccount("u"));
        assertEquals("Something went wrong. The details are in the log.", refusal.getMessage());
    }

    @Test
    void nobodyWhoListensIsUnavailable() throws InterruptedException {
        server.shutdownNow().awaitTermination();
        assertEquals(Code.UNAVAILABLE, assertThrows(Refusal.class, () -> client.ping()).code());
    }

    private BrokerageServices services() {
        return (BrokerageServices) Proxy.newProxyInstance(getClass().getClassLoader(),
                new Class<?>[] {BrokerageServices.class}, (proxy, method, arguments) -> {
                    if (outcome.get() instanceof RuntimeException failure) {
                        throw failure;
                    }
                    return outcome.get();
                });
    }
}
