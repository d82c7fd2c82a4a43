package org.middlemark.remoting.client.proxies;

import java.util.List;
import java.util.Optional;
import org.middlemark.remoting.domain.Customer;
import org.middlemark.remoting.domain.Order;
import org.middlemark.remoting.domain.Product;
import org.middlemark.remoting.domain.TableSet;
import org.middlemark.remoting.soap.Beans;
import org.middlemark.remoting.soap.Records;
import org.middlemark.remoting.soap.wire.LoadCustomer;
import org.middlemark.remoting.soap.wire.LoadCustomerTables;
import org.middlemark.remoting.soap.wire.LoadProducts;
import org.middlemark.remoting.soap.wire.LoadProductsConverted;
import org.middlemark.remoting.soap.wire.LoadProductsTables;
import org.middlemark.remoting.soap.wire.Ping;
import org.middlemark.remoting.soap.wire.Remoting;
import org.middlemark.remoting.soap.wire.StoreOrderTables;

/** The beans of remoting.wsdl, over HTTP or TCP. */
abstract class SoapProxy implements Proxy {
    /** Sends a bean and returns the bean that answers it. */
    abstract Remoting port();

    /** The exception of a failed call. */
    RuntimeException failure(RuntimeException failure) {
        return failure;
    }

    /** A call of the port. */
    @FunctionalInterface
    private interface Call<A> {
        A on(Remoting port);
    }

    private <A> A call(Call<A> call) {
        try {
            return call.on(port());
        } catch (RuntimeException failed) {
            throw failure(failed);
        }
    }

    @Override
    public final void ping() {
        call(port -> port.ping(new Ping()));
    }

    @Override
    public final long storeOrder(Order order) {
        return call(port -> port.storeOrder(Beans.order(order)).getOrderId());
    }

    @Override
    public final long storeOrderTables(TableSet order) {
        StoreOrderTables request = new StoreOrderTables();
        request.setTableSet(Beans.tables(order));
        return call(port -> port.storeOrderTables(request).getOrderId());
    }

    @Override
    public final List<Product> loadProducts() {
        return call(port -> Records.products(port.loadProducts(new LoadProducts()).getProduct()));
    }

    @Override
    public final TableSet loadProductsTables() {
        return call(port -> Records.tables(port.loadProductsTables(new LoadProductsTables()).getTableSet()));
    }

    @Override
    public final List<Product> loadProductsConverted() {
        return call(port -> Records.products(
                port.loadProductsConverted(new LoadProductsConverted()).getProduct()));
    }

    @Override
    public final Optional<Customer> loadCustomer(String customerId) {
        LoadCustomer request = new LoadCustomer();
        request.setCustomerId(customerId);
        return call(port -> Records.customer(port.loadCustomer(request).getCustomer()));
    }

    @Override
    public final TableSet loadCustomerTables(String customerId) {
        LoadCustomerTables request = new LoadCustomerTables();
        request.setCustomerId(customerId);
        return call(port -> Records.tables(port.loadCustomerTables(request).getTableSet()));
    }
}
