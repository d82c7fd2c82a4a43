package org.middlemark.remoting.client.proxies;

import java.net.URI;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;
import org.middlemark.refusals.Refusal;
import org.middlemark.remoting.domain.Protocol;
import org.middlemark.remoting.domain.Service;
import org.middlemark.remoting.frames.Watch;
import org.middlemark.remoting.settings.Addresses;
import org.middlemark.remoting.settings.Connections;
import org.middlemark.remoting.settings.Settings;

/** The proxies of each protocol: one for each user that calls at the same time, kept for the next one. */
public final class Proxies implements AutoCloseable {
    private final Settings settings;
    private final Credential credential;
    private final Map<Protocol, Supplier<Proxy>> makers = new EnumMap<>(Protocol.class);
    private final Map<Protocol, Queue<Proxy>> idle = new EnumMap<>(Protocol.class);
    private final Set<Protocol> called = EnumSet.noneOf(Protocol.class);
    private final Thread watching;

    /**
     * Knows how to call over each protocol that has an address.
     *
     * @param local the service of this process; nothing where it has none
     */
    public Proxies(Settings settings, Optional<Service> local) {
        this.settings = settings;
        credential = Credential.of(settings);
        Watch watch = new Watch();
        watching = new Thread(watch, "watch");
        watching.setDaemon(true);
        watching.start();
        makers(local, watch);
        called.addAll(makers.keySet());
        called.remove(Protocol.LOCAL);
        called.removeIf(protocol -> !offers(protocol));
        for (Protocol protocol : Protocol.values()) {
            idle.put(protocol, new ConcurrentLinkedQueue<>());
            makers.putIfAbsent(protocol, () -> new LocalProxy(absent(protocol)));
        }
    }

    private void makers(Optional<Service> local, Watch watch) {
        Addresses addresses = settings.addresses();
        boolean isShared = settings.connections() == Connections.SHARED;
        local.ifPresent(service -> makers.put(Protocol.LOCAL, () -> new LocalProxy(service)));
        addresses.socket().ifPresent(path -> makers.put(Protocol.UNIX,
                () -> new FrameProxy(new FrameConnection(Connector.unix(path), watch), credential.authorization())));
        addresses.tcp().ifPresent(address -> makers.put(Protocol.TCP_PROTOBUF,
                () -> new FrameProxy(tcp(address, watch), credential.authorization())));
        addresses.tcpSoap().ifPresent(address -> makers.put(Protocol.TCP_SOAP,
                () -> new TcpSoapProxy(tcp(address, watch))));
        addresses.grpc().ifPresent(address -> makers.put(Protocol.GRPC, () -> new GrpcProxy(address, credential)));
        addresses.rmi().ifPresent(address -> makers.put(Protocol.RMI,
                () -> new RmiProxy(Addresses.socketAddress(address), isShared)));
        (credential.identity().isPresent() ? addresses.https() : addresses.http()).ifPresent(address -> {
            makers.put(Protocol.HTTP_PROTOBUF,
                    () -> new HttpProtobufProxy(new HttpCalls(address, credential, isShared)));
            makers.put(Protocol.JSON, () -> new JsonProxy(new HttpCalls(address, credential, isShared)));
            makers.put(Protocol.SOAP, () -> new HttpSoapProxy(address, credential, isShared));
        });
    }

    private FrameConnection tcp(URI address, Watch watch) {
        return new FrameConnection(Connector.tcp(Addresses.socketAddress(address), credential.identity()), watch);
    }

    /** Whether the client has addresses for a protocol: it is offered with the authentication. */
    public boolean offers(Protocol protocol) {
        return protocol.isOfferedWith(settings.authentication());
    }

    /** The protocols whose calls leave the process, to an address that is set. */
    public Set<Protocol> called() {
        return called;
    }

    /** The service where none can be called. */
    private static Service absent(Protocol protocol) {
        return (Service) java.lang.reflect.Proxy.newProxyInstance(Service.class.getClassLoader(),
                new Class<?>[] {Service.class}, (proxy, operation, arguments) -> {
                    throw Refusal.unavailable(new IllegalStateException("no address for " + protocol.word()));
                });
    }

    /** A proxy that one user has until the end of the lease, when the next one may have it. */
    public record Lease(Proxy proxy, Queue<Proxy> idle) implements AutoCloseable {
        @Override
        public void close() {
            idle.add(proxy);
        }
    }

    /** A proxy for one user. Without an address every call of it is unavailable. */
    public Lease take(Protocol protocol) {
        Queue<Proxy> kept = idle.get(protocol);
        Proxy proxy = kept.poll();
        return new Lease(proxy == null ? makers.get(protocol).get() : proxy, kept);
    }

    /** One call; without an answer it is a Refusal {@code unavailable}. */
    public <A> A call(Proxy proxy, Supplier<A> operation) {
        try {
            try {
                return operation.get();
            } finally {
                if (settings.connections() == Connections.UNSHARED) {
                    proxy.disconnect();
                }
            }
        } catch (Refusal refusal) {
            throw refusal;
        } catch (RuntimeException none) {
            throw Refusal.unavailable(none);
        }
    }

    /** Closes the unused connections. */
    @Override
    public void close() {
        idle.values().forEach(all -> all.forEach(Proxy::disconnect));
        watching.interrupt();
    }
}
