package org.middlemark.grpc;

import io.grpc.Server;
import java.util.concurrent.TimeUnit;

/** The end of servers that an application has on ports of its own. */
public final class GrpcServers {
    private static final int FINISH_SECONDS = 10;

    private GrpcServers() {
    }

    /** Accepts nothing more, waits for the calls under way and closes all connections. */
    public static void stop(Server server) {
        server.shutdown();
        try {
            server.awaitTermination(FINISH_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException hurry) {
            Thread.currentThread().interrupt();
        }
        server.shutdownNow();
    }
}
