package org.middlemark.petstore.store.jpa;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.persistence.EntityManager;
import jakarta.persistence.PersistenceContext;
import org.middlemark.database.Entities;

/** The entities of the database catalog; a process without the web tier has none. */
@ApplicationScoped
public class CatalogEntities extends Entities {
    @PersistenceContext(unitName = "catalog")
    private EntityManager entityManager;

    @Override
    protected EntityManager entityManager() {
        return entityManager;
    }
}
