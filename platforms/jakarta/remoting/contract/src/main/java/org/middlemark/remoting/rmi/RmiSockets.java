package org.middlemark.remoting.rmi;

import java.io.IOException;
import java.io.Serializable;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.rmi.server.RMIClientSocketFactory;
import java.util.ArrayList;
import java.util.List;
import org.middlemark.calls.Calls;

/**
 * Connections of clients. RMI sends it along with the service's reference; at the client it connects to the address of
 * the setting and not to the one that the service has for itself.
 */
public final class RmiSockets implements RMIClientSocketFactory, Serializable {
    private static final int LONGEST_ANSWER_MILLISECONDS = 10_000;
    private static final ThreadLocal<List<Socket>> MADE = ThreadLocal.withInitial(ArrayList::new);
    private static volatile InetSocketAddress service;

    /** Sets the address of the service for this process. */
    public static void connectTo(InetSocketAddress address) {
        service = address;
    }

    @Override
    public Socket createSocket(String host, int port) throws IOException {
        InetSocketAddress address = service == null ? new InetSocketAddress(host, port) : service;
        Socket socket = new Socket();
        try {
            socket.connect(address, (int) Calls.LONGEST_CONNECT.toMillis());
            socket.setSoTimeout(LONGEST_ANSWER_MILLISECONDS);
            socket.setTcpNoDelay(true);
        } catch (IOException failure) {
            socket.close();
            throw failure;
        }
        MADE.get().removeIf(Socket::isClosed);
        MADE.get().add(socket);
        return socket;
    }

    /** Closes the connections that this thread has made; RMI looks for closed ones before it uses them again. */
    public static void closeMade() throws IOException {
        for (Socket socket : MADE.get()) {
            socket.close();
        }
        MADE.get().clear();
    }

    /** References with equal factories share a port. */
    @Override
    public boolean equals(Object other) {
        return other instanceof RmiSockets;
    }

    @Override
    public int hashCode() {
        return RmiSockets.class.hashCode();
    }
}
