package org.middlemark.remoting.client.proxies;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import java.util.List;
import java.util.Optional;
import middlemark.remoting.v1.RemotingOuterClass;
import org.middlemark.remoting.domain.Customer;
import org.middlemark.remoting.domain.Operation;
import org.middlemark.remoting.domain.Order;
import org.middlemark.remoting.domain.Product;
import org.middlemark.remoting.domain.TableSet;
import org.middlemark.remoting.domain.Unreadable;
import org.middlemark.remoting.protobuf.Messages;
import org.middlemark.remoting.protobuf.Records;

/** The messages of remoting.proto, in frames or over HTTP. */
abstract class ProtobufProxy implements Proxy {
    /** Sends the message of an operation and returns that of its answer. */
    abstract ByteString exchange(Operation operation, MessageLite request);

    private <A> A call(Operation operation, MessageLite request, Parser<A> answer) {
        try {
            return answer.parseFrom(exchange(operation, request));
        } catch (InvalidProtocolBufferException unreadable) {
            throw new Unreadable("The answer is not a message of " + operation.word() + ".");
        }
    }

    @Override
    public final void ping() {
        call(Operation.PING, Messages.NOTHING, RemotingOuterClass.Nothing.parser());
    }

    @Override
    public final long storeOrder(Order order) {
        return call(Operation.STORE_ORDER, Messages.order(order), RemotingOuterClass.OrderId.parser()).getOrderId();
    }

    @Override
    public final long storeOrderTables(TableSet order) {
        return call(Operation.STORE_ORDER_TABLES, Messages.tables(order), RemotingOuterClass.OrderId.parser())
                .getOrderId();
    }

    @Override
    public final List<Product> loadProducts() {
        return Records.products(call(Operation.LOAD_PRODUCTS, Messages.NOTHING,
                RemotingOuterClass.Products.parser()));
    }

    @Override
    public final TableSet loadProductsTables() {
        return Records.tables(call(Operation.LOAD_PRODUCTS_TABLES, Messages.NOTHING,
                RemotingOuterClass.TableSet.parser()));
    }

    @Override
    public final List<Product> loadProductsConverted() {
        return Records.products(call(Operation.LOAD_PRODUCTS_CONVERTED, Messages.NOTHING,
                RemotingOuterClass.Products.parser()));
    }

    @Override
    public final Optional<Customer> loadCustomer(String customerId) {
        return Records.customer(call(Operation.LOAD_CUSTOMER, Messages.customerId(customerId),
                RemotingOuterClass.FoundCustomer.parser()));
    }

    @Override
    public final TableSet loadCustomerTables(String customerId) {
        return Records.tables(call(Operation.LOAD_CUSTOMER_TABLES, Messages.customerId(customerId),
                RemotingOuterClass.TableSet.parser()));
    }
}
