package org.middlemark.remoting.sockets;

import java.io.Closeable;
import java.io.IOException;
import java.util.Optional;
import org.middlemark.remoting.access.Caller;
import org.middlemark.remoting.frames.FrameStream;

/** Where connections come in. */
public interface Acceptor extends Closeable {
    /** Waits for the next connection. */
    Incoming accept() throws IOException;

    /** A connection before its first byte. */
    @FunctionalInterface
    interface Incoming {
        /** Opens the connection; a handshake may take some time. */
        Accepted open() throws IOException;
    }

    /**
     * A connection.
     *
     * @param certified the user whom the certificate of the other side names; nothing without one
     */
    record Accepted(FrameStream stream, Optional<Caller> certified) {
    }
}
