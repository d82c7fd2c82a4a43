package org.middlemark.remoting.client.local;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.middlemark.database.StoreFailure;
import org.middlemark.remoting.store.Transactions;

/** Connections of a pool, and JDBC's transactions, which a server's container begins and ends for the session bean. */
final class PooledTransactions implements Transactions {
    private final DataSource pool;

    PooledTransactions(DataSource pool) {
        this.pool = pool;
    }

    @Override
    public <T> T reading(Work<T> work) {
        try (Connection connection = pool.getConnection()) {
            return work.on(connection);
        } catch (SQLException failure) {
            throw new StoreFailure(failure);
        }
    }

    @Override
    public <T> T storing(Work<T> work) {
        try (Connection connection = pool.getConnection()) {
            connection.setAutoCommit(false);
            return committed(connection, work);
        } catch (SQLException failure) {
            throw new StoreFailure(failure);
        }
    }

    private static <T> T committed(Connection connection, Work<T> work) throws SQLException {
        try {
            T done = work.on(connection);
            connection.commit();
            return done;
        } catch (SQLException | RuntimeException failure) {
            try {
                connection.rollback();
            } catch (SQLException lost) {
                failure.addSuppressed(lost);
            }
            throw failure;
        }
    }
}
