package org.middlemark.remoting.client.proxies;

import io.grpc.ChannelCredentials;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.TlsChannelCredentials;
import io.grpc.stub.MetadataUtils;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import middlemark.remoting.v1.RemotingGrpc;
import middlemark.remoting.v1.RemotingGrpc.RemotingBlockingStub;
import org.middlemark.refusals.Refusal;
import org.middlemark.remoting.domain.Codes;
import org.middlemark.remoting.domain.Customer;
import org.middlemark.remoting.domain.Order;
import org.middlemark.remoting.domain.Product;
import org.middlemark.remoting.domain.TableSet;
import org.middlemark.remoting.protobuf.Messages;
import org.middlemark.remoting.protobuf.Records;
import org.middlemark.remoting.tls.Identity;

/** The service Remoting of remoting.proto. */
final class GrpcProxy implements Proxy {
    private static final Metadata.Key<String> AUTHORIZATION =
            Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

    private final URI service;
    private final ChannelCredentials credentials;
    private final Metadata headers = new Metadata();
    private ManagedChannel channel;

    GrpcProxy(URI service, Credential credential) {
        this.service = service;
        credentials = credential.identity().map(GrpcProxy::credentials)
                .orElseGet(InsecureChannelCredentials::create);
        if (!credential.authorization().isEmpty()) {
            headers.put(AUTHORIZATION, credential.authorization());
        }
    }

    private static ChannelCredentials credentials(Identity identity) {
        return TlsChannelCredentials.newBuilder().keyManager(identity.keys()).trustManager(identity.trust()).build();
    }

    private RemotingBlockingStub stub() {
        if (channel == null) {
            channel = Grpc.newChannelBuilderForAddress(service.getHost(), service.getPort(), credentials)
                    .disableRetry().intercept(MetadataUtils.newAttachHeadersInterceptor(headers)).build();
        }
        return RemotingGrpc.newBlockingStub(channel)
                .withDeadlineAfter(FrameConnection.LONGEST_ANSWER.toMillis(), TimeUnit.MILLISECONDS);
    }

    private <A> A call(Function<RemotingBlockingStub, A> operation) {
        try {
            return operation.apply(stub());
        } catch (StatusRuntimeException failure) {
            throw refusal(failure);
        }
    }

    /** With a cause this side could not read the answer. */
    private static RuntimeException refusal(StatusRuntimeException failure) {
        Status status = failure.getStatus();
        return switch (status.getCode()) {
            case INVALID_ARGUMENT -> Refusal.invalid(String.valueOf(status.getDescription()));
            case RESOURCE_EXHAUSTED -> Refusal.invalid("The message is longer than 4 MiB.");
            case UNAUTHENTICATED -> Codes.unauthenticated();
            case PERMISSION_DENIED -> Codes.forbidden();
            case INTERNAL -> status.getCause() == null ? Refusal.internal(failure) : failure;
            default -> failure;
        };
    }

    @Override
    public void ping() {
        call(stub -> stub.ping(Messages.NOTHING));
    }

    @Override
    public long storeOrder(Order order) {
        return call(stub -> stub.storeOrder(Messages.order(order))).getOrderId();
    }

    @Override
    public long storeOrderTables(TableSet order) {
        return call(stub -> stub.storeOrderTables(Messages.tables(order))).getOrderId();
    }

    @Override
    public List<Product> loadProducts() {
        return Records.products(call(stub -> stub.loadProducts(Messages.NOTHING)));
    }

    @Override
    public TableSet loadProductsTables() {
        return Records.tables(call(stub -> stub.loadProductsTables(Messages.NOTHING)));
    }

    @Override
    public List<Product> loadProductsConverted() {
        return Records.products(call(stub -> stub.loadProductsConverted(Messages.NOTHING)));
    }

    @Override
    public Optional<Customer> loadCustomer(String customerId) {
        return Records.customer(call(stub -> stub.loadCustomer(Messages.customerId(customerId))));
    }

    @Override
    public TableSet loadCustomerTables(String customerId) {
        return Records.tables(call(stub -> stub.loadCustomerTables(Messages.customerId(customerId))));
    }

    @Override
    public void disconnect() {
        if (channel != null) {
            channel.shutdownNow();
            channel = null;
        }
    }
}
