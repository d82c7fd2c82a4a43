package org.middlemark.brokerage.store.jdbc;

import jakarta.annotation.PostConstruct;
import jakarta.annotation.Resource;
import jakarta.enterprise.context.ApplicationScoped;
import javax.sql.DataSource;
import org.middlemark.brokerage.store.Accounts;
import org.middlemark.brokerage.store.Holdings;
import org.middlemark.brokerage.store.Orders;
import org.middlemark.brokerage.store.Quotes;
import org.middlemark.brokerage.store.Store;
import org.middlemark.database.DataAccessIdiom;
import org.middlemark.database.Statements;
import org.middlemark.settings.DataAccess;

/** The rows by SQL. */
@ApplicationScoped
@DataAccessIdiom(DataAccess.JDBC)
public class JdbcStore implements Store {
    @Resource(name = "jdbc/brokerage")
    private DataSource dataSource;
    private Statements statements;

    @PostConstruct
    void begin() {
        statements = new Statements(dataSource);
    }

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
