package org.middlemark.remoting.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.middlemark.refusals.Code;
import org.middlemark.refusals.Refusal;
import org.middlemark.remoting.client.proxies.Proxies;
import org.middlemark.remoting.client.proxies.Proxies.Lease;
import org.middlemark.remoting.client.proxies.Proxy;
import org.middlemark.remoting.domain.Codes;
import org.middlemark.remoting.domain.Order;
import org.middlemark.remoting.domain.Protocol;
import org.middlemark.remoting.settings.Settings;
import org.middlemark.remoting.tables.OrderTables;

/** Each protocol that needs no server, over real connections. */
class ProtocolsTest {
    private static final Set<Protocol> WITHOUT_SERVER = EnumSet.of(Protocol.UNIX, Protocol.TCP_PROTOBUF,
            Protocol.TCP_SOAP, Protocol.GRPC, Protocol.RMI);

    @TempDir
    private Path folder;
    private final KnownService service = new KnownService();
    private OfferedProtocols offered;

    @BeforeEach
    void start() throws IOException {
        offered = new OfferedProtocols(service, folder);
    }

    @AfterEach
    void stop() throws IOException {
        offered.close();
    }

    private Proxies proxies(String connections) {
        return new Proxies(offered.settings(connections), Optional.empty());
    }

    @Test
    void theClientCallsEveryProtocolWithAnAddress() {
        try (Proxies proxies = proxies("shared")) {
            assertEquals(WITHOUT_SERVER, proxies.called());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"shared", "unshared"})
    void objectsArriveAsTheyWere(String connections) {
        Order order = Request.standard().order();
        try (Proxies proxies = proxies(connections)) {
            for (Protocol protocol : WITHOUT_SERVER) {
                try (Lease lease = proxies.take(protocol)) {
                    assertAnswers(proxies, lease.proxy(), order, protocol.word());
                }
            }
        }
    }

    private void assertAnswers(Proxies proxies, Proxy proxy, Order order, String over) {
        long stored = proxies.call(proxy, () -> proxy.storeOrder(order));
        assertEquals(10_248L, stored, over);
        assertEquals(order, service.stored.get(), over);
        long storedTables = proxies.call(proxy, () -> proxy.storeOrderTables(OrderTables.tables(order)));
        assertEquals(10_249L, storedTables, over);
        assertEquals(OrderTables.tables(order), service.stored.get(), over);
        assertEquals(KnownService.PRODUCTS, proxies.call(proxy, proxy::loadProducts), over);
        assertEquals(KnownService.TABLES, proxies.call(proxy, proxy::loadProductsTables), over);
        assertEquals(KnownService.PRODUCTS, proxies.call(proxy, proxy::loadProductsConverted), over);
        assertEquals(Optional.of(KnownService.CUSTOMER), proxies.call(proxy, () -> proxy.loadCustomer("C0017")), over);
        assertEquals(Optional.empty(), proxies.call(proxy, () -> proxy.loadCustomer("nobody")), over);
        assertEquals(KnownService.TABLES, proxies.call(proxy, () -> proxy.loadCustomerTables("C0017")), over);
    }

    @ParameterizedTest
    @EnumSource(names = {"LOCAL", "UNIX", "TCP_PROTOBUF", "TCP_SOAP", "GRPC", "RMI"})
    void refusalsArriveAsTheyWereAndTheConnectionStays(Protocol protocol) {
        try (Proxies proxies = new Proxies(offered.settings("shared"), Optional.of(service));
                Lease lease = proxies.take(protocol)) {
            for (Code code : Codes.ALL) {
                service.failure.set(new Refusal(code, "Because of <ä>."));
                assertEquals(code, refused(proxies, lease.proxy()).code());
            }
            service.failure.set(Refusal.invalid("Because of <ä>."));
            assertEquals("Because of <ä>.", refused(proxies, lease.proxy()).getMessage());
            service.failure.set(new IllegalStateException("a secret"));
            Refusal unforeseen = refused(proxies, lease.proxy());
            assertEquals(Code.INTERNAL, unforeseen.code());
            assertEquals("Something went wrong. The details are in the log.", unforeseen.getMessage());
            service.failure.set(null);
            assertEquals(KnownService.PRODUCTS, proxies.call(lease.proxy(), lease.proxy()::loadProducts));
        }
    }

    private static Refusal refused(Proxies proxies, Proxy proxy) {
        return assertThrows(Refusal.class, () -> proxies.call(proxy, proxy::loadProducts));
    }

    @ParameterizedTest
    @EnumSource(names = {"UNIX", "TCP_PROTOBUF", "TCP_SOAP", "GRPC", "RMI"})
    void aServiceThatHasEndedIsUnavailable(Protocol protocol) throws IOException {
        try (Proxies proxies = proxies("shared"); Lease lease = proxies.take(protocol)) {
            proxies.call(lease.proxy(), lease.proxy()::loadProducts);
            offered.close();
            assertEquals(Code.UNAVAILABLE, refused(proxies, lease.proxy()).code());
        } finally {
            start();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"UNIX", "TCP_PROTOBUF", "TCP_SOAP", "GRPC", "RMI"})
    void eachUserHasAConnection(Protocol protocol) {
        try (Proxies proxies = proxies("shared"); Lease first = proxies.take(protocol);
                Lease second = proxies.take(protocol)) {
            first.proxy().ping();
            service.work.set(first.proxy()::disconnect);
            assertEquals(KnownService.PRODUCTS, proxies.call(second.proxy(), second.proxy()::loadProducts));
        }
    }

    @ParameterizedTest
    @CsvSource({"TCP_PROTOBUF, MM_SERVICE_TCP", "TCP_SOAP, MM_SERVICE_TCP_SOAP", "GRPC, MM_SERVICE_GRPC",
        "RMI, MM_SERVICE_NATIVE"})
    void aConnectionIsKeptOrMadeForEachCall(Protocol protocol, String variable) throws IOException {
        try (CountingRelay relay = new CountingRelay(offered.port(variable))) {
            Map<String, String> address = Map.of(variable, relay.address());
            assertEquals(0, connections(10, relay, protocol, offered.settings("shared", address)));
            assertEquals(10, connections(10, relay, protocol, offered.settings("unshared", address)));
        }
    }

    /** The connections of so many calls, without those of the first one, which may have to look for the service. */
    private static int connections(int calls, CountingRelay relay, Protocol protocol, Settings settings) {
        try (Proxies proxies = new Proxies(settings, Optional.empty()); Lease lease = proxies.take(protocol)) {
            Proxy proxy = lease.proxy();
            proxies.call(proxy, proxy::loadProducts);
            int before = relay.count();
            for (int call = 0; call < calls; call++) {
                assertEquals(KnownService.PRODUCTS, proxies.call(proxy, proxy::loadProducts));
            }
            return relay.count() - before;
        }
    }

    @Test
    void aProtocolWithoutAnAddressIsUnavailable() {
        try (Proxies proxies = proxies("shared"); Lease lease = proxies.take(Protocol.JSON)) {
            assertEquals(Code.UNAVAILABLE, refused(proxies, lease.proxy()).code());
        }
    }
}
