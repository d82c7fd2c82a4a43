package org.middlemark.remoting.beans;

import jakarta.annotation.Resource;
import jakarta.ejb.Local;
import jakarta.ejb.Stateless;
import jakarta.ejb.TransactionAttribute;
import jakarta.ejb.TransactionAttributeType;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.middlemark.database.StoreFailure;
import org.middlemark.remoting.store.Transactions;

/** The connections of the server's data source. The container begins and ends the transaction of work that stores. */
@Stateless
@Local(Transactions.class)
public class ContainerTransactions implements Transactions {
    @Resource(name = "jdbc/northwind")
    private DataSource northwind;

    @Override
    @TransactionAttribute(TransactionAttributeType.SUPPORTS)
    public <T> T reading(Work<T> work) {
        return done(work);
    }

    @Override
    @TransactionAttribute(TransactionAttributeType.REQUIRED)
    public <T> T storing(Work<T> work) {
        return done(work);
    }

    private <T> T done(Work<T> work) {
        try (Connection connection = northwind.getConnection()) {
            return work.on(connection);
        } catch (SQLException failure) {
            throw new StoreFailure(failure);
        }
    }
}
