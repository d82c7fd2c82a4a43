package org.middlemark.remoting.rmi;

import java.io.IOException;
import java.io.ObjectInputFilter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.rmi.registry.LocateRegistry;
import java.rmi.registry.Registry;
import java.rmi.server.RMIServerSocketFactory;
import java.rmi.server.UnicastRemoteObject;
import org.middlemark.remoting.domain.Service;

/** Offers the service over Java RMI: the registry and the service are at one port. */
public final class RmiListener {
    private static final int BACKLOG = 128;
    /** The classes of requests alone, and at most 4 MiB. */
    private static final ObjectInputFilter REQUESTS = ObjectInputFilter.Config.createFilter(
            "maxbytes=4194304;org.middlemark.remoting.domain.*;java.lang.*;java.math.*;java.time.*;java.util.*;!*");

    private final Registry registry;
    private final RmiCalls calls;

    private RmiListener(Registry registry, RmiCalls calls) {
        this.registry = registry;
        this.calls = calls;
    }

    /** Begins to listen. */
    public static RmiListener start(InetSocketAddress address, Service service) throws IOException {
        RmiSockets clients = new RmiSockets(address);
        BoundSockets bound = new BoundSockets(address.getAddress());
        Registry registry = LocateRegistry.createRegistry(address.getPort(), clients, bound);
        RmiListener listener = new RmiListener(registry, new RmiCalls(service));
        try {
            registry.rebind(RmiService.NAME, UnicastRemoteObject.exportObject(listener.calls, address.getPort(),
                    clients, bound, REQUESTS));
        } catch (IOException failure) {
            UnicastRemoteObject.unexportObject(registry, true);
            throw failure;
        }
        return listener;
    }

    /** Accepts nothing more; a call under way has its thread until it has been answered. */
    public void close() throws IOException {
        UnicastRemoteObject.unexportObject(calls, true);
        UnicastRemoteObject.unexportObject(registry, true);
    }

    /** Listens at one address alone. References with equal factories share a port. */
    private record BoundSockets(InetAddress address) implements RMIServerSocketFactory {
        @Override
        public ServerSocket createServerSocket(int port) throws IOException {
            return new ServerSocket(port, BACKLOG, address);
        }
    }
}
