package org.middlemark.remoting.store;

import java.sql.Connection;
import java.sql.SQLException;

/** Where work on the database gets its connection: a server's session bean, or a program's own pool. */
public interface Transactions {
    /** Work with one statement, on one connection and without a transaction. */
    <T> T reading(Work<T> work);

    /** Work on one connection in one transaction, which is rolled back when it throws. */
    <T> T storing(Work<T> work);

    /** Work on a connection that it does not close. */
    @FunctionalInterface
    interface Work<T> {
        T on(Connection connection) throws SQLException;
    }
}
