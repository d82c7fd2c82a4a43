package org.middlemark.remoting.sockets;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.security.cert.X509Certificate;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import org.middlemark.remoting.access.Caller;
import org.middlemark.remoting.frames.FrameStream;
import org.middlemark.remoting.tls.Identity;

/** A TCP port, with mutual TLS where the service has an identity. */
public final class TcpAcceptor implements Acceptor {
    private static final int HANDSHAKE_MILLISECONDS = 10_000;
    private static final int BACKLOG = 128;

    private final ServerSocket port;
    private final Optional<SSLSocketFactory> tls;

    public TcpAcceptor(InetSocketAddress address, Optional<Identity> identity) throws IOException {
        tls = identity.map(Identity::context).map(SSLContext::getSocketFactory);
        port = new ServerSocket();
        try {
            port.bind(address, BACKLOG);
        } catch (IOException taken) {
            port.close();
            throw taken;
        }
    }

    /** The port that was chosen when the address had none. */
    public int localPort() {
        return port.getLocalPort();
    }

    @Override
    public Incoming accept() throws IOException {
        Socket socket = port.accept();
        return () -> open(socket);
    }

    private Accepted open(Socket socket) throws IOException {
        try {
            socket.setTcpNoDelay(true);
            return tls.isPresent() ? overTls(socket, tls.get())
                    : new Accepted(new FrameStream(socket.getInputStream(), socket.getOutputStream(), socket),
                            Optional.empty());
        } catch (IOException failure) {
            socket.close();
            throw failure;
        }
    }

    /** The role is read here, once for the connection. Closing the socket below TLS ends it from any thread. */
    private static Accepted overTls(Socket socket, SSLSocketFactory factory) throws IOException {
        socket.setSoTimeout(HANDSHAKE_MILLISECONDS);
        SSLSocket secured = (SSLSocket) factory.createSocket(socket, null, true);
        secured.setUseClientMode(false);
        secured.setNeedClientAuth(true);
        secured.setEnabledProtocols(Identity.versions());
        secured.startHandshake();
        socket.setSoTimeout(0);
        X509Certificate certificate = (X509Certificate) secured.getSession().getPeerCertificates()[0];
        return new Accepted(new FrameStream(secured.getInputStream(), secured.getOutputStream(), socket),
                Optional.of(Caller.of(certificate)));
    }

    @Override
    public void close() throws IOException {
        port.close();
    }
}
