package org.middlemark.remoting.sockets;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Optional;
import org.middlemark.remoting.frames.FrameStream;

/** A Unix socket. */
public final class UnixAcceptor implements Acceptor {
    private final Path path;
    private final ServerSocketChannel socket;

    /** Takes the place of a socket that an earlier process has left, and of no other file. */
    public UnixAcceptor(Path path) throws IOException {
        this.path = path;
        if (Files.exists(path) && Files.readAttributes(path, BasicFileAttributes.class).isOther()) {
            Files.delete(path);
        }
        socket = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            socket.bind(UnixDomainSocketAddress.of(path));
        } catch (IOException taken) {
            socket.close();
            throw taken;
        }
    }

    @Override
    public Incoming accept() throws IOException {
        SocketChannel channel = socket.accept();
        return () -> new Accepted(new FrameStream(Channels.newInputStream(channel), Channels.newOutputStream(channel),
                channel), Optional.empty());
    }

    @Override
    public void close() throws IOException {
        socket.close();
        Files.deleteIfExists(path);
    }
}
