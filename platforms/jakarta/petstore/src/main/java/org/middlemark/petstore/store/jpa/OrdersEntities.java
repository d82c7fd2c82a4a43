package org.middlemark.petstore.store.jpa;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.persistence.EntityManager;
import jakarta.persistence.PersistenceContext;
import org.middlemark.database.Entities;

/** The entities of the database orders. */
@ApplicationScoped
public class OrdersEntities extends Entities {
    @PersistenceContext(unitName = "orders")
    private EntityManager entityManager;

    @Override
    protected EntityManager entityManager() {
        return entityManager;
    }
}
