package org.middlemark.remoting.grpc;

import io.grpc.InsecureServerCredentials;
import io.grpc.Server;
import io.grpc.ServerCredentials;
import io.grpc.TlsServerCredentials;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.concurrent.Executor;
import org.middlemark.grpc.GrpcServers;
import org.middlemark.grpc.RefusalInterceptor;
import org.middlemark.remoting.access.Gate;
import org.middlemark.remoting.domain.Service;
import org.middlemark.remoting.tls.Identity;

/** Offers the service over gRPC, with mutual TLS where the service has an identity. */
public final class GrpcListener {
    private final Server server;

    private GrpcListener(Server server) {
        this.server = server;
    }

    /** Begins to listen; calls are done on the threads of {@code executor}. */
    public static GrpcListener start(InetSocketAddress address, Optional<Identity> identity, Service service,
            Gate gate, Executor executor) throws IOException {
        return new GrpcListener(NettyServerBuilder.forAddress(address, credentials(identity)).executor(executor)
                .addService(new GrpcService(service)).intercept(new RefusalInterceptor(RemotingStatus.ALL))
                .intercept(new AccessInterceptor(gate)).addTransportFilter(new CertifiedCallers()).build().start());
    }

    private static ServerCredentials credentials(Optional<Identity> identity) {
        if (identity.isEmpty()) {
            return InsecureServerCredentials.create();
        }
        return TlsServerCredentials.newBuilder().keyManager(identity.get().keys())
                .trustManager(identity.get().trust()).clientAuth(TlsServerCredentials.ClientAuth.REQUIRE).build();
    }

    /** The port that was chosen when the address had none. */
    public int localPort() {
        return server.getPort();
    }

    /** Ends as {@link GrpcServers#stop} does. */
    public void close() {
        GrpcServers.stop(server);
    }
}
