package org.middlemark.brokerage.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.grpc.Attributes;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerTransportFilter;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ClientCalls;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.Proxy;
import java.math.BigDecimal;
import java.net.InetSocketAddress;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.middlemark.brokerage.domain.Code;
import org.middlemark.brokerage.domain.Order;
import org.middlemark.brokerage.domain.OrderStatus;
import org.middlemark.brokerage.domain.OrderType;
import org.middlemark.brokerage.domain.Quote;
import org.middlemark.brokerage.domain.Refusal;
import org.middlemark.brokerage.services.BrokerageServices;
import org.middlemark.brokerage.services.RemoteServices;
import org.middlemark.brokerage.settings.ServicesAddress;

/** The binding over a real connection; what the services do is said by each test. */
class GrpcTest {
    private static final BigDecimal ONE = new BigDecimal("1.00");

    private final AtomicReference<Object> outcome = new AtomicReference<>();
    private Server server;
    private RemoteServices client;

    @BeforeEach
    void start() throws IOException {
        server = GrpcServer.listening("127.0.0.1", 0, services(), ForkJoinPool.commonPool());
        client = connected(server, 2);
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
    @EnumSource(Code.class)
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
    void anAnswerThatTheDescriptionDoesNotAllowIsNone() {
        outcome.set(new Order(0, OrderType.BUY, OrderStatus.OPEN, "s:1", 2, ONE, ONE, Instant.EPOCH, null, null));
        assertEquals(Code.UNAVAILABLE, assertThrows(Refusal.class, () -> client.buy("u", "s:1", 2)).code());
    }

    @Test
    void nobodyWhoListensIsUnavailable() throws InterruptedException {
        server.shutdownNow().awaitTermination();
        assertEquals(Code.UNAVAILABLE, assertThrows(Refusal.class, () -> client.ping()).code());
    }

    @ParameterizedTest
    @CsvSource({"1,1", "3,3", "64,4"})
    void callsTakeTurnsOnFourConnectionsUnlessFewerCallsAreAllowed(int calls, int connections) throws IOException {
        AtomicInteger accepted = new AtomicInteger();
        ServerTransportFilter counting = new ServerTransportFilter() {
            @Override
            public Attributes transportReady(Attributes transport) {
                accepted.incrementAndGet();
                return transport;
            }
        };
        Server counted = NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0))
                .addTransportFilter(counting)
                .addService(new BrokerageService(services())).build().start();
        try (RemoteServices spread = connected(counted, calls)) {
            for (int i = 0; i < 9; i++) {
                spread.ping();
            }
            assertEquals(connections, accepted.get());
        } finally {
            counted.shutdownNow();
        }
    }

    @Test
    void anAnswerOfManyHoldingsIsRead() {
        Quote quote = new Quote("s:1", "x".repeat(5 * 1024 * 1024), ONE, ONE, ONE, ONE, ONE,
                7); // gRPC reads 4 MiB by default
        outcome.set(List.of(quote));
        assertEquals(List.of(quote), client.getQuotes(List.of("s:1")));
    }

    @Test
    void anUnknownMethodIsAnUnknownOperation() {
        StatusRuntimeException refused = assertThrows(StatusRuntimeException.class, () -> raw("GetQuot", "0a03733a31"));
        assertEquals(Status.Code.UNIMPLEMENTED, refused.getStatus().getCode());
        assertEquals("There is no operation GetQuot.", refused.getStatus().getDescription());
        assertEquals("unknown_operation", refused.getTrailers().get(GrpcStatus.CODE));
    }

    @ParameterizedTest
    @ValueSource(strings = {"0a05733a31", "0f", "0a01ff", "0a057569643a3118"})
    void whatIsNoMessageIsRefusedByGrpc(String hex) {
        StatusRuntimeException refused = assertThrows(StatusRuntimeException.class, () -> raw("GetAccount", hex));
        assertEquals(Status.Code.INTERNAL, refused.getStatus().getCode());
        assertNull(refused.getTrailers().get(GrpcStatus.CODE));
    }

    @Test
    void aMessageOfMoreThan64KiBIsRefusedByGrpc() {
        StatusRuntimeException refused =
                assertThrows(StatusRuntimeException.class, () -> raw("GetAccount", "0afdff03" + "66".repeat(65_533)));
        assertEquals(Status.Code.RESOURCE_EXHAUSTED, refused.getStatus().getCode());
        outcome.set(new Refusal(Code.INVALID_INPUT, "long"));
        refused = assertThrows(StatusRuntimeException.class, () -> raw("GetAccount", "0afcff03" + "66".repeat(65_532)));
        assertEquals("long", refused.getStatus().getDescription());
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

    private static RemoteServices connected(Server to, int calls) {
        return new GrpcBinding().connect(new ServicesAddress("127.0.0.1", to.getPort()), calls);
    }

    private byte[] raw(String method, String hex) {
        ManagedChannel channel = ManagedChannelBuilder.forAddress("127.0.0.1", server.getPort()).usePlaintext().build();
        try {
            MethodDescriptor<byte[], byte[]> descriptor = MethodDescriptor.newBuilder(new Bytes(), new Bytes())
                    .setType(MethodDescriptor.MethodType.UNARY)
                    .setFullMethodName("middlemark.brokerage.v1.Brokerage/" + method).build();
            return ClientCalls.blockingUnaryCall(channel, descriptor, CallOptions.DEFAULT,
                    HexFormat.of().parseHex(hex));
        } finally {
            channel.shutdownNow();
        }
    }

    private static final class Bytes implements MethodDescriptor.Marshaller<byte[]> {
        @Override
        public InputStream stream(byte[] message) {
            return new ByteArrayInputStream(message);
        }

        @Override
        public byte[] parse(InputStream message) {
            try {
                return message.readAllBytes();
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
        }
    }
}
