package org.middlemark.remoting.client.proxies;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.Optional;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.middlemark.calls.Calls;
import org.middlemark.remoting.frames.FrameStream;
import org.middlemark.remoting.tls.Identity;

/** Makes connections that carry frames. */
@FunctionalInterface
interface Connector {
    /** Connects. */
    Connected connect() throws IOException;

    /** A connection, and the channel below it. */
    record Connected(SocketChannel channel, FrameStream stream) {
    }

    /** A Unix socket. */
    static Connector unix(Path path) {
        return () -> plain(SocketChannel.open(UnixDomainSocketAddress.of(path)));
    }

    /** A TCP port, over mutual TLS where the client has an identity. */
    static Connector tcp(InetSocketAddress address, Optional<Identity> identity) {
        return () -> {
            SocketChannel channel = SocketChannel.open();
            try {
                channel.socket().connect(address, (int) Calls.LONGEST_CONNECT.toMillis());
                channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
                return identity.isPresent() ? secured(channel, address, identity.get()) : plain(channel);
            } catch (IOException failure) {
                channel.close();
                throw failure;
            }
        };
    }

    private static Connected plain(SocketChannel channel) {
        return new Connected(channel,
                new FrameStream(Channels.newInputStream(channel), Channels.newOutputStream(channel), channel));
    }

    private static Connected secured(SocketChannel channel, InetSocketAddress address, Identity identity)
            throws IOException {
        channel.socket().setSoTimeout((int) FrameConnection.LONGEST_ANSWER.toMillis());
        SSLSocket socket = (SSLSocket) identity.context().getSocketFactory()
                .createSocket(channel.socket(), address.getHostString(), address.getPort(), true);
        SSLParameters parameters = socket.getSSLParameters();
        parameters.setProtocols(Identity.versions());
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        socket.setSSLParameters(parameters);
        socket.startHandshake();
        channel.socket().setSoTimeout(0);
        return new Connected(channel, new FrameStream(socket.getInputStream(), socket.getOutputStream(), channel));
    }
}
