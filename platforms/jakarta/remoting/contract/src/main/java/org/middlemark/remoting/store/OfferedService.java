package org.middlemark.remoting.store;

import java.util.List;
import java.util.Optional;
import org.middlemark.database.Attempts;
import org.middlemark.remoting.domain.Customer;
import org.middlemark.remoting.domain.Limits;
import org.middlemark.remoting.domain.Order;
import org.middlemark.remoting.domain.Product;
import org.middlemark.remoting.domain.Service;
import org.middlemark.remoting.domain.TableSet;
import org.middlemark.remoting.tables.OrderTables;
import org.middlemark.remoting.tables.ProductTable;

/** The operations as every protocol offers them: values are checked, then the work is done in attempts. */
public final class OfferedService implements Service {
    private final Transactions transactions;

    public OfferedService(Transactions transactions) {
        this.transactions = transactions;
    }

    @Override
    public void ping() {
        // A caller that gets here has reached the service.
    }

    @Override
    public long storeOrder(Order order) {
        Limits.order(order);
        return Attempts.carryOut(() -> transactions.storing(connection -> Northwind.store(connection, order)));
    }

    @Override
    public long storeOrderTables(TableSet order) {
        return storeOrder(OrderTables.order(order));
    }

    @Override
    public List<Product> loadProducts() {
        return Attempts.carryOut(() -> transactions.reading(Northwind::products));
    }

    @Override
    public TableSet loadProductsTables() {
        return Attempts.carryOut(() -> transactions.reading(Northwind::productsTable));
    }

    @Override
    public List<Product> loadProductsConverted() {
        return ProductTable.products(loadProductsTables());
    }

    @Override
    public Optional<Customer> loadCustomer(String customerId) {
        Limits.customerId(customerId);
        return Attempts.carryOut(() -> transactions.reading(
                connection -> Northwind.customer(connection, customerId)));
    }

    @Override
    public TableSet loadCustomerTables(String customerId) {
        Limits.customerId(customerId);
        return Attempts.carryOut(() -> transactions.reading(
                connection -> Northwind.customerTable(connection, customerId)));
    }
}
