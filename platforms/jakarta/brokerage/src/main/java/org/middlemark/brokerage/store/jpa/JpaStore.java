package org.middlemark.brokerage.store.jpa;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import org.middlemark.brokerage.store.Accounts;
import org.middlemark.brokerage.store.Holdings;
import org.middlemark.brokerage.store.Orders;
import org.middlemark.brokerage.store.Quotes;
import org.middlemark.brokerage.store.Store;
import org.middlemark.database.DataAccessIdiom;
import org.middlemark.settings.DataAccess;

/** The rows as entities. */
@ApplicationScoped
@DataAccessIdiom(DataAccess.JPA)
public class JpaStore implements Store {
    @Inject
    private BrokerageEntities entities;

    @Override
    public Accounts accounts() {
        return new JpaAccounts(entities);
    }

    @Override
    public Quotes quotes() {
        return new JpaQuotes(entities);
    }

    @Override
    public Holdings holdings() {
        return new JpaHoldings(entities);
    }

    @Override
    public Orders orders() {
        return new JpaOrders(entities);
    }

    @Override
    public void flush() {
        entities.flush();
    }
}
