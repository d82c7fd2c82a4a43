package org.middlemark.remoting.client.proxies;

import java.util.List;
import java.util.Optional;
import org.middlemark.remoting.domain.Customer;
import org.middlemark.remoting.domain.Order;
import org.middlemark.remoting.domain.Product;
import org.middlemark.remoting.domain.Service;
import org.middlemark.remoting.domain.TableSet;

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
        return service.storeOrder(order);
    }

    @Override
    public long storeOrderTables(TableSet order) {
        return service.storeOrderTables(order);
    }

    @Override
    public List<Product> loadProducts() {
        return service.loadProducts();
    }

    @Override
    public TableSet loadProductsTables() {
        return service.loadProductsTables();
    }

    @Override
    public List<Product> loadProductsConverted() {
        return service.loadProductsConverted();
    }

    @Override
    public Optional<Customer> loadCustomer(String customerId) {
        return service.loadCustomer(customerId);
    }

    @Override
    public TableSet loadCustomerTables(String customerId) {
        return service.loadCustomerTables(customerId);
    }

    @Override
    public void disconnect() {
        // There is no connection.
    }
}
