package org.middlemark.brokerage.store.jdbc;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import org.middlemark.brokerage.settings.DataAccess;
import org.middlemark.brokerage.store.Accounts;
import org.middlemark.brokerage.store.DataAccessIdiom;
import org.middlemark.brokerage.store.Holdings;
import org.middlemark.brokerage.store.Orders;
import org.middlemark.brokerage.store.Quotes;
import org.middlemark.brokerage.store.Store;

/** The rows by SQL. */
@ApplicationScoped
@DataAccessIdiom(DataAccess.JDBC)
public class JdbcStore implements Store {
    @Inject
    private Statements statements;

    @Override
    public Accounts accounts() {
        return new JdbcAccounts(statements);
    }

    @Override
    public Quotes quotes() {
        return new JdbcQuotes(statements);
    }

    @Override
    public Holdings holdings() {
        return new JdbcHoldings(statements);
    }

    @Override
    public Orders orders() {
        return new JdbcOrders(statements);
    }

    @Override
    public void flush() {
        // Every statement has been carried out when its call returns.
    }
}
