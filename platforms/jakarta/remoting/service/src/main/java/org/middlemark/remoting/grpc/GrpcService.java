package org.middlemark.remoting.grpc;

import io.grpc.stub.StreamObserver;
import middlemark.remoting.v1.RemotingGrpc;
import middlemark.remoting.v1.RemotingOuterClass.CustomerId;
import middlemark.remoting.v1.RemotingOuterClass.FoundCustomer;
import middlemark.remoting.v1.RemotingOuterClass.Nothing;
import middlemark.remoting.v1.RemotingOuterClass.Order;
import middlemark.remoting.v1.RemotingOuterClass.OrderId;
import middlemark.remoting.v1.RemotingOuterClass.Products;
import middlemark.remoting.v1.RemotingOuterClass.TableSet;
import org.middlemark.remoting.domain.Service;
import org.middlemark.remoting.protobuf.Messages;
import org.middlemark.remoting.protobuf.ProtobufCalls;

/** The operations over gRPC (specs/remoting/remoting.proto). A RefusalInterceptor answers their exceptions. */
final class GrpcService extends RemotingGrpc.RemotingImplBase {
    private final Service service;
    private final ProtobufCalls calls;

    GrpcService(Service service) {
        this.service = service;
        calls = new ProtobufCalls(service);
    }

    @Override
    public void ping(Nothing request, StreamObserver<Nothing> caller) {
        service.ping();
        answer(caller, Messages.NOTHING);
    }

    @Override
    public void storeOrder(Order request, StreamObserver<OrderId> caller) {
        answer(caller, calls.storeOrder(request));
    }

    @Override
    public void storeOrderTables(TableSet request, StreamObserver<OrderId> caller) {
        answer(caller, calls.storeOrderTables(request));
    }

    @Override
    public void loadProducts(Nothing request, StreamObserver<Products> caller) {
        answer(caller, Messages.products(service.loadProducts()));
    }

    @Override
    public void loadProductsTables(Nothing request, StreamObserver<TableSet> caller) {
        answer(caller, Messages.tables(service.loadProductsTables()));
    }

    @Override
    public void loadProductsConverted(Nothing request, StreamObserver<Products> caller) {
        answer(caller, Messages.products(service.loadProductsConverted()));
    }

    @Override
    public void loadCustomer(CustomerId request, StreamObserver<FoundCustomer> caller) {
        answer(caller, Messages.customer(service.loadCustomer(request.getCustomerId())));
    }

    @Override
    public void loadCustomerTables(CustomerId request, StreamObserver<TableSet> caller) {
        answer(caller, Messages.tables(service.loadCustomerTables(request.getCustomerId())));
    }

    private static <T> void answer(StreamObserver<T> caller, T message) {
        caller.onNext(message);
        caller.onCompleted();
    }
}
