package org.middlemark.remoting.client;

import java.math.BigDecimal;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.middlemark.remoting.domain.Customer;
import org.middlemark.remoting.domain.Order;
import org.middlemark.remoting.domain.Product;
import org.middlemark.remoting.domain.Service;
import org.middlemark.remoting.domain.TableSet;
import org.middlemark.remoting.domain.TableSet.Column;
import org.middlemark.remoting.domain.TableSet.Table;

/** A service without a database, which remembers the last order and fails when it is asked to. */
final class KnownService implements Service {
    static final String TEXT = "<a href=\"x\">&amp; 木 🚢</a> ]]> back\\slash 'single'";
    static final List<Product> PRODUCTS = List.of(
            new Product(1, TEXT, 1, 2, "10 boxes", new BigDecimal("18.00"), 39, 0, 10, true),
            new Product(2, "Chai", 1, 2, "", new BigDecimal("0.50"), 0, 1, 0, false));
    static final Customer CUSTOMER = new Customer("C0017", TEXT, "Maria", "Owner", "1 Oak Street", "Bergen", "",
            "05003", "Norway", "1", "2");
    static final TableSet TABLES = TableSet.of(new Table("customers",
            List.of(new Column("customer_id", "string"), new Column("region", "string")),
            List.of(Arrays.asList(TEXT, null), List.of("", "Region 4"))));

    final AtomicReference<Object> stored = new AtomicReference<>();
    final AtomicReference<RuntimeException> failure = new AtomicReference<>();
    /** Done during each call. */
    final AtomicReference<Runnable> work = new AtomicReference<>(() -> { });

    private <T> T answer(Supplier<T> answer) {
        work.get().run();
        RuntimeException thrown = failure.get();
        if (thrown != null) {
            throw thrown;
        }
        return answer.get();
    }

    @Override
    public void ping() {
        answer(() -> TEXT);
    }

    @Override
    public long storeOrder(Order order) {
        stored.set(order);
        return answer(() -> 10_248L);
    }

    @Override
    public long storeOrderTables(TableSet order) {
        stored.set(order);
        return answer(() -> 10_249L);
    }

    @Override
    public List<Product> loadProducts() {
        return answer(() -> PRODUCTS);
    }

    @Override
    public TableSet loadProductsTables() {
        return answer(() -> TABLES);
    }

    @Override
    public List<Product> loadProductsConverted() {
        return answer(() -> PRODUCTS);
    }

    @Override
    public Optional<Customer> loadCustomer(String customerId) {
        return answer(() -> Optional.of(CUSTOMER).filter(customer -> customer.customerId().equals(customerId)));
    }

    @Override
    public TableSet loadCustomerTables(String customerId) {
        return answer(() -> TABLES);
    }
}
