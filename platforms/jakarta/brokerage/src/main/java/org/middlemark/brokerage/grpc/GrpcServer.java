package org.middlemark.brokerage.grpc;

import io.grpc.InsecureServerCredentials;
import io.grpc.Server;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import jakarta.annotation.Resource;
import jakarta.ejb.Singleton;
import jakarta.ejb.Startup;
import jakarta.enterprise.concurrent.ManagedExecutorService;
import jakarta.inject.Inject;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.Executor;
import org.middlemark.brokerage.services.BrokerageServices;
import org.middlemark.brokerage.settings.Settings;
import org.middlemark.grpc.GrpcServers;
import org.middlemark.grpc.RefusalInterceptor;

/** Offers the services over gRPC on a port of its own, as long as the application runs. */
@Singleton
@Startup
public class GrpcServer {
    @Inject
    private Settings settings;
    @Inject
    private BrokerageServices services;
    /** Its threads have the names and transactions of the application, which gRPC's own have not. */
    @Resource
    private ManagedExecutorService executor;
    private Server server;

    @PostConstruct
    void start() {
        if (!settings.offersServices() || settings.listening().grpcPort().isEmpty()) {
            return;
        }
        String host = settings.listening().host();
        int port = settings.listening().grpcPort().getAsInt();
        try {
            server = listening(host, port, services, executor);
        } catch (IOException failure) {
            throw new IllegalStateException(
                    "gRPC cannot listen at " + host + ":" + port + " (MM_GRPC_PORT): " + failure.getCause(), failure);
        }
    }

    /** A server that listens, and does its work on the threads of {@code executor}. */
    static Server listening(String host, int port, BrokerageServices services, Executor executor) throws IOException {
        return NettyServerBuilder.forAddress(new InetSocketAddress(host, port), InsecureServerCredentials.create())
                .executor(executor).addService(new BrokerageService(services))
                .intercept(new RefusalInterceptor(BrokerageStatus.ALL)).build().start();
    }

    @PreDestroy
    void stop() {
        if (server != null) {
            GrpcServers.stop(server);
        }
    }
}
