package org.middlemark.remoting.client;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicInteger;

/** Passes connections on to a port of this machine and counts them. */
final class CountingRelay implements AutoCloseable {
    private static final int BACKLOG = 50;

    private final ServerSocket listening = new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress());
    private final AtomicInteger count = new AtomicInteger();
    private final int target;

    CountingRelay(int target) throws IOException {
        this.target = target;
        daemon(this::accept);
    }

    /** Where it listens. */
    String address() {
        return "127.0.0.1:" + listening.getLocalPort();
    }

    /** The connections until now. */
    int count() {
        return count.get();
    }

    private static void daemon(Runnable work) {
        Thread thread = new Thread(work, "relay");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        try {
            while (true) {
                Socket caller = listening.accept();
                count.incrementAndGet();
                Socket service = new Socket(InetAddress.getLoopbackAddress(), target);
                daemon(() -> pass(caller, service));
                daemon(() -> pass(service, caller));
            }
        } catch (IOException closed) {
            // The relay has ended.
        }
    }

    private static void pass(Socket from, Socket to) {
        try (from; to) {
            from.getInputStream().transferTo(to.getOutputStream());
        } catch (IOException ended) {
            // The other direction has closed both.
        }
    }

    @Override
    public void close() throws IOException {
        listening.close();
    }
}
