package org.middlemark.remoting.client.proxies;

import java.util.List;
import java.util.Optional;
import org.middlemark.remoting.domain.Customer;
import org.middlemark.remoting.domain.Order;
import org.middlemark.remoting.domain.Product;
import org.middlemark.remoting.domain.Service;
import org.middlemark.remoting.domain.TableSet;
import org.middlemark.remoting.domain.Unforeseen;

/** The service in the same process: arguments and results are the same objects. */
final class LocalProxy implements Proxy {
    private final Service service;

    LocalProxy(Service service) {
        this.service = service;
    }

    @Override
    public void ping() {
        service.ping();
    }

    @Override
    public long storeOrder(Order order) {
        return Unforeseen.asInternal(() -> service.storeOrder(order));
    }

    @Override
    public long storeOrderTables(TableSet order) {
        return Unforeseen.asInternal(() -> service.storeOrderTables(order));
    }

    @Override
    public List<Product> loadProducts() {
        return Unforeseen.asInternal(service::loadProducts);
    }

    @Override
    public TableSet loadProductsTables() {
        return Unforeseen.asInternal(service::loadProductsTables);
    }

    @Override
    public List<Product> loadProductsConverted() {
        return Unforeseen.asInternal(service::loadProductsConverted);
    }

    @Override
    public Optional<Customer> loadCustomer(String customerId) {
        return Unforeseen.asInternal(() -> service.loadCustomer(customerId));
    }

    @Override
    public TableSet loadCustomerTables(String customerId) {
        return Unforeseen.asInternal(() -> service.loadCustomerTables(customerId));
    }

    @Override
    public void disconnect() {
        // There is no connection.
    }
}
