package org.middlemark.petstore.store.jpa;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import org.middlemark.database.DataAccessIdiom;
import org.middlemark.petstore.store.Catalog;
import org.middlemark.petstore.store.Customers;
import org.middlemark.petstore.store.Orders;
import org.middlemark.petstore.store.Store;
import org.middlemark.settings.DataAccess;

/** The rows as entities. */
@ApplicationScoped
@DataAccessIdiom(DataAccess.JPA)
public class JpaStore implements Store {
    @Inject
    private CatalogEntities catalog;
    @Inject
    private OrdersEntities orders;

    @Override
    public Catalog catalog() {
        return new JpaCatalog(catalog);
    }

    @Override
    public Customers customers() {
        return new JpaCustomers(orders);
    }

    @Override
    public Orders orders() {
        return new JpaOrders(orders);
    }
}
