package org.middlemark.remoting.domain;

import java.util.List;
import java.util.Optional;

/** The operations. Each may throw a Refusal and nothing else. */
public interface Service {
    void ping();

    /** Stores an order with its lines. The result is its id. */
    long storeOrder(Order order);

    /** Stores an order out of the tables {@code orders} and {@code order_lines}. */
    long storeOrderTables(TableSet order);

    List<Product> loadProducts();

    TableSet loadProductsTables();

    /** The same products, read into a table set first. */
    List<Product> loadProductsConverted();

    Optional<Customer> loadCustomer(String customerId);

    TableSet loadCustomerTables(String customerId);
}
