package org.middlemark.remoting.protobuf;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import middlemark.remoting.v1.RemotingOuterClass;
import org.middlemark.refusals.Refusal;
import org.middlemark.remoting.domain.Operation;
import org.middlemark.remoting.domain.Service;
import org.middlemark.remoting.domain.Unreadable;

/** The service over messages: reads the message of an operation, calls it and makes the message of its answer. */
public final class ProtobufCalls {
    private final Service service;

    public ProtobufCalls(Service service) {
        this.service = service;
    }

    /** The answer of an operation; a Refusal also for a request that cannot be read. */
    public MessageLite answer(Operation operation, ByteString request) {
        try {
            return switch (operation) {
                case PING -> {
                    RemotingOuterClass.Nothing.parseFrom(request);
                    service.ping();
                    yield Messages.NOTHING;
                }
                case STORE_ORDER -> storeOrder(RemotingOuterClass.Order.parseFrom(request));
                case STORE_ORDER_TABLES -> storeOrderTables(RemotingOuterClass.TableSet.parseFrom(request));
                case LOAD_PRODUCTS -> {
                    RemotingOuterClass.Nothing.parseFrom(request);
                    yield Messages.products(service.loadProducts());
                }
                case LOAD_PRODUCTS_TABLES -> {
                    RemotingOuterClass.Nothing.parseFrom(request);
                    yield Messages.tables(service.loadProductsTables());
                }
                case LOAD_PRODUCTS_CONVERTED -> {
                    RemotingOuterClass.Nothing.parseFrom(request);
                    yield Messages.products(service.loadProductsConverted());
                }
                case LOAD_CUSTOMER -> Messages.customer(service.loadCustomer(
                        RemotingOuterClass.CustomerId.parseFrom(request).getCustomerId()));
                case LOAD_CUSTOMER_TABLES -> Messages.tables(service.loadCustomerTables(
                        RemotingOuterClass.CustomerId.parseFrom(request).getCustomerId()));
            };
        } catch (InvalidProtocolBufferException unreadable) {
            throw Refusal.invalid("The request is not a message of the operation.");
        }
    }

    /** Stores an order; a Refusal also for a message with a value that cannot be read. */
    public RemotingOuterClass.OrderId storeOrder(RemotingOuterClass.Order request) {
        return Messages.orderId(service.storeOrder(Unreadable.request(() -> Records.order(request))));
    }

    /** The same of a table set. */
    public RemotingOuterClass.OrderId storeOrderTables(RemotingOuterClass.TableSet request) {
        return Messages.orderId(service.storeOrderTables(Unreadable.request(() -> Records.tables(request))));
    }
}
