package org.middlemark.brokerage.store.jpa;

import jakarta.ejb.EJB;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.persistence.EntityManager;
import jakarta.persistence.PersistenceContext;
import java.util.function.Supplier;
import org.middlemark.database.Entities;

/** The entities of the brokerage. */
@ApplicationScoped
public class BrokerageEntities extends Entities {
    @PersistenceContext(unitName = "brokerage")
    private EntityManager entityManager;
    @EJB
    private OwnTransaction transaction;

    @Override
    protected EntityManager entityManager() {
        return entityManager;
    }

    /** Does something in a transaction, which is begun where there is none. */
    public <T> T inTransaction(Supplier<T> operation) {
        return transaction.carryOut(operation);
    }
}
