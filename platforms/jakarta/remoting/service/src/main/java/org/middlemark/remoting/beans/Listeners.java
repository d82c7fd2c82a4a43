package org.middlemark.remoting.beans;

import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import jakarta.annotation.Resource;
import jakarta.ejb.Singleton;
import jakarta.ejb.Startup;
import jakarta.enterprise.concurrent.ManagedExecutorService;
import jakarta.enterprise.concurrent.ManagedThreadFactory;
import jakarta.inject.Inject;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.middlemark.remoting.access.Gate;
import org.middlemark.remoting.domain.Authentication;
import org.middlemark.remoting.domain.Protocol;
import org.middlemark.remoting.domain.Service;
import org.middlemark.remoting.grpc.GrpcListener;
import org.middlemark.remoting.rmi.RmiListener;
import org.middlemark.remoting.settings.Listening;
import org.middlemark.remoting.settings.Settings;
import org.middlemark.remoting.sockets.Acceptor;
import org.middlemark.remoting.sockets.ProtobufConversation;
import org.middlemark.remoting.sockets.SoapConversation;
import org.middlemark.remoting.sockets.StreamListener;
import org.middlemark.remoting.sockets.TcpAcceptor;
import org.middlemark.remoting.sockets.UnixAcceptor;
import org.middlemark.remoting.tls.Identity;

/** Offers the protocols that have a port or a socket of their own, as long as the application runs. */
@Singleton
@Startup
public class Listeners {
    private static final Logger LOG = Logger.getLogger(Listeners.class.getName());

    @Inject
    private Settings settings;
    @Inject
    private Service service;
    @Inject
    private Gate gate;
    /** The threads of gRPC's calls. */
    @Resource
    private ManagedExecutorService executor;
    /** The threads of connections, which wait for their next call. */
    @Resource
    private ManagedThreadFactory threads;
    private final Deque<Closing> open = new ArrayDeque<>();

    /** Closes a listener. */
    @FunctionalInterface
    private interface Closing {
        void close() throws IOException;
    }

    /** Opens a listener. */
    @FunctionalInterface
    private interface Opening {
        Closing open() throws IOException;
    }

    @PostConstruct
    void start() {
        try {
            startOffered(settings.listening());
        } catch (RuntimeException failure) {
            stop();
            throw failure;
        }
    }

    private void startOffered(Listening at) {
        Optional<Identity> identity = settings.authentication() == Authentication.CERTIFICATE
                ? Optional.of(settings.credentials().identity()) : Optional.empty();
        start(Protocol.TCP_PROTOBUF, "MM_TCP_PORT", () -> protobuf(new TcpAcceptor(at(at.tcpPort()), identity)));
        start(Protocol.TCP_SOAP, "MM_TCP_SOAP_PORT",
                () -> soap(new TcpAcceptor(at(at.tcpSoapPort()), Optional.empty())));
        start(Protocol.GRPC, "MM_GRPC_PORT",
                () -> GrpcListener.start(at(at.grpcPort()), identity, service, gate, executor)::close);
        start(Protocol.RMI, "MM_NATIVE_PORT", () -> RmiListener.start(at(at.rmiPort()), service)::close);
        at.socket().ifPresent(path -> start(Protocol.UNIX, "MM_SOCKET", () -> protobuf(new UnixAcceptor(path))));
    }

    private Closing protobuf(Acceptor acceptor) {
        return StreamListener.start(acceptor, new ProtobufConversation(service, gate), threads)::close;
    }

    private Closing soap(Acceptor acceptor) {
        return StreamListener.start(acceptor, new SoapConversation(service), threads)::close;
    }

    private InetSocketAddress at(int port) {
        return new InetSocketAddress(settings.listening().host(), port);
    }

    /** Nothing listens for a protocol that is not offered with the authentication. */
    private void start(Protocol protocol, String variable, Opening opening) {
        if (!protocol.isOfferedWith(settings.authentication())) {
            return;
        }
        try {
            open.push(opening.open());
        } catch (IOException failure) {
            throw new IllegalStateException(protocol.word() + " cannot listen (" + variable + "): " + failure, failure);
        }
    }

    /** Closes all, also after one that cannot be closed. */
    @PreDestroy
    void stop() {
        while (!open.isEmpty()) {
            try {
                open.pop().close();
            } catch (IOException failure) {
                LOG.log(Level.WARNING, "A listener cannot be closed", failure);
            }
        }
    }
}
