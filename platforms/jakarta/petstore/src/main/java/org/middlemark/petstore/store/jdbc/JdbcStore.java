package org.middlemark.petstore.store.jdbc;

import jakarta.annotation.PostConstruct;
import jakarta.annotation.Resource;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import javax.sql.DataSource;
import org.middlemark.database.DataAccessIdiom;
import org.middlemark.database.Statements;
import org.middlemark.petstore.store.Catalog;
import org.middlemark.petstore.store.Customers;
import org.middlemark.petstore.store.Orders;
import org.middlemark.petstore.store.Store;
import org.middlemark.settings.DataAccess;

/** The rows by SQL. */
@ApplicationScoped
@DataAccessIdiom(DataAccess.JDBC)
public class JdbcStore implements Store {
    @Resource(name = "jdbc/orders")
    private DataSource ordersSource;
    @Inject
    private JdbcCatalog catalog;
    private Statements orders;

    @PostConstruct
    void begin() {
        orders = new Statements(ordersSource);
    }

    @Override
    public Catalog catalog() {
        return catalog;
    }

    @Override
    public Customers customers() {
        return new JdbcCustomers(orders);
    }

    @Override
    public Orders orders() {
        return new JdbcOrders(orders);
    }
}
