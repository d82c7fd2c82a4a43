package org.middlemark.remoting.rmi;

import java.io.IOException;
import java.io.Serializable;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.rmi.NotBoundException;
import java.rmi.RemoteException;
import java.rmi.registry.LocateRegistry;
import java.rmi.server.RMIClientSocketFactory;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The connections of one user. RMI shares connections between references with equal factories; therefore each user has
 * a factory, and only the same one is equal. The service sends its own along with its reference, and the client's takes
 * its place: it connects to the address of the setting and not to the one that the service has for itself.
 */
public final class RmiSockets implements RMIClientSocketFactory, Serializable {
    private static final ThreadLocal<RmiSockets> LOOKING_UP = new ThreadLocal<>();

    private final transient InetSocketAddress service;
    private final transient Set<RmiConnection> made = ConcurrentHashMap.newKeySet();

    public RmiSockets(InetSocketAddress service) {
        this.service = service;
    }

    /** The service in the registry at the address; calls of it use connections of this factory. */
    public RmiService lookUp() throws RemoteException, NotBoundException {
        LOOKING_UP.set(this);
        try {
            return (RmiService) LocateRegistry.getRegistry(service.getHostString(), service.getPort(), this)
                    .lookup(RmiService.NAME);
        } finally {
            LOOKING_UP.remove();
        }
    }

    private Object readResolve() {
        return LOOKING_UP.get();
    }

    @Override
    public Socket createSocket(String host, int port) throws IOException {
        RmiConnection connection = new RmiConnection(service);
        made.removeIf(Socket::isClosed);
        made.add(connection);
        return connection;
    }

    /** Ends the connections; a further call makes another one. */
    public void disconnect() throws IOException {
        for (RmiConnection connection : made) {
            connection.disconnect();
        }
    }
}
