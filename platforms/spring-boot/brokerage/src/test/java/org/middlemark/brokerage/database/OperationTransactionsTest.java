package org.middlemark.brokerage.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.boot.transaction.autoconfigure.TransactionManagerCustomizers;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

class OperationTransactionsTest {

    private static final int LIMIT_SECONDS = 10;

    @Test
    void waitForAConnectionCountsIntoTheTimeOut() throws SQLException {
        DataSource database = mock(DataSource.class);
        given(database.getConnection()).will(asked -> {
            Thread.sleep(200); // the wait for a connection that is to count
            return mock(Connection.class);
        });
        DefaultTransactionDefinition definition = new DefaultTransactionDefinition();
        definition.setTimeout(LIMIT_SECONDS);
        new TransactionTemplate(new OperationTransactions(database, TransactionManagerCustomizers.of(Set.of())), definition)
                .executeWithoutResult(begun -> {
                    ConnectionHolder connection = (ConnectionHolder) TransactionSynchronizationManager.getResource(database);
                    assertThat(connection.getTimeToLiveInMillis()).isPositive().isLessThanOrEqualTo(LIMIT_SECONDS * 1000L - 200);
                });
    }
}
