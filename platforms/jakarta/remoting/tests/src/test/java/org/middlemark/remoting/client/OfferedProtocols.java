package org.middlemark.remoting.client;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ThreadFactory;
import org.middlemark.remoting.access.Gate;
import org.middlemark.remoting.domain.Authentication;
import org.middlemark.remoting.domain.Service;
import org.middlemark.remoting.grpc.GrpcListener;
import org.middlemark.remoting.rmi.RmiListener;
import org.middlemark.remoting.settings.Settings;
import org.middlemark.remoting.sockets.ProtobufConversation;
import org.middlemark.remoting.sockets.SoapConversation;
import org.middlemark.remoting.sockets.StreamListener;
import org.middlemark.remoting.sockets.TcpAcceptor;
import org.middlemark.remoting.sockets.UnixAcceptor;

/** The protocols of a service that need no server, on free ports. */
final class OfferedProtocols implements AutoCloseable {
    private static final String HOST = "127.0.0.1";
    private static final ThreadFactory THREADS = work -> {
        Thread thread = new Thread(work);
        thread.setDaemon(true);
        return thread;
    };

    private final Map<String, String> addresses = new HashMap<>();
    private final StreamListener tcp;
    private final StreamListener tcpSoap;
    private final StreamListener unix;
    private final GrpcListener grpc;
    private final RmiListener rmi;

    OfferedProtocols(Service service, Path folder) throws IOException {
        Gate gate = new Gate(Authentication.NONE, null);
        TcpAcceptor frames = new TcpAcceptor(free(), Optional.empty());
        tcp = StreamListener.start(frames, new ProtobufConversation(service, gate), THREADS);
        TcpAcceptor envelopes = new TcpAcceptor(free(), Optional.empty());
        tcpSoap = StreamListener.start(envelopes, new SoapConversation(service), THREADS);
        Path socket = folder.resolve("socket");
        unix = StreamListener.start(new UnixAcceptor(socket), new ProtobufConversation(service, gate), THREADS);
        grpc = GrpcListener.start(free(), Optional.empty(), service, gate, ForkJoinPool.commonPool());
        int registry = freePort();
        rmi = RmiListener.start(new InetSocketAddress(HOST, registry), service);
        addresses.put("MM_ROLE", "client");
        addresses.put("MM_SERVICE_TCP", HOST + ":" + frames.localPort());
        addresses.put("MM_SERVICE_TCP_SOAP", HOST + ":" + envelopes.localPort());
        addresses.put("MM_SERVICE_SOCKET", socket.toString());
        addresses.put("MM_SERVICE_GRPC", HOST + ":" + grpc.localPort());
        addresses.put("MM_SERVICE_NATIVE", HOST + ":" + registry);
    }

    private static InetSocketAddress free() {
        return new InetSocketAddress(HOST, 0);
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName(HOST))) {
            return socket.getLocalPort();
        }
    }

    /** The settings of a client that knows all addresses. */
    Settings settings(String connections) {
        return settings(connections, Map.of());
    }

    /** The same with other addresses for some of them. */
    Settings settings(String connections, Map<String, String> others) {
        Map<String, String> environment = new HashMap<>(addresses);
        environment.putAll(others);
        environment.put("MM_CONNECTIONS", connections);
        return Settings.read(environment);
    }

    /** The port of an address by its variable. */
    int port(String variable) {
        return Integer.parseInt(addresses.get(variable).substring(HOST.length() + 1));
    }

    @Override
    public void close() throws IOException {
        tcp.close();
        tcpSoap.close();
        unix.close();
        grpc.close();
        rmi.close();
    }
}
