package org.middlemark.brokerage.database;

import java.time.Duration;
import javax.sql.DataSource;
import org.middlemark.brokerage.settings.WithDatabase;
import org.springframework.boot.transaction.autoconfigure.TransactionManagerCustomizers;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.stereotype.Component;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Transactions whose time-out begins before they wait for a connection; Spring's begins when they have one. */
@Component
@WithDatabase
class OperationTransactions extends JdbcTransactionManager {

    private static final long serialVersionUID = 1L;

    OperationTransactions(DataSource database, TransactionManagerCustomizers properties) {
        super(database);
        properties.customize(this);
    }

    @Override
    protected void doBegin(Object transaction, TransactionDefinition definition) {
        long begun = System.nanoTime();
        super.doBegin(transaction, definition);
        ConnectionHolder connection = (ConnectionHolder) TransactionSynchronizationManager.getResource(obtainDataSource());
        if (connection != null && connection.hasTimeout()) {
            Duration limit = Duration.ofSeconds(determineTimeout(definition));
            connection.setTimeoutInMillis(limit.minusNanos(System.nanoTime() - begun).toMillis());
        }
    }
}
