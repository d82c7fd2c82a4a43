package org.middlemark.brokerage.database;

import java.sql.SQLException;
import java.util.Set;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.PessimisticLockingFailureException;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.jdbc.CannotGetJdbcConnectionException;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.TransactionTimedOutException;

/** Tells a database that does not answer from one that has refused a statement. */
public final class Unavailability {

    /** The database ends the connection, or accepts no more of them: appendix "Error Codes" of PostgreSQL's manual. */
    private static final Set<String> ENDED_BY_THE_DATABASE = Set.of("57P01", "57P02", "57P03", "57P05", "53300");

    private Unavailability() {
    }

    public static boolean isReasonOf(RuntimeException failure) {
        if (failure instanceof PessimisticLockingFailureException || failure instanceof QueryTimeoutException
                || failure instanceof CannotGetJdbcConnectionException || failure instanceof CannotCreateTransactionException
                || failure instanceof TransactionTimedOutException
                || failure instanceof TransactionSystemException) { // neither committed nor rolled back: the connection is lost
            return true;
        }
        return failure instanceof DataAccessException && failure.getCause() instanceof SQLException cause
                && isLostConnection(cause.getSQLState());
    }

    private static boolean isLostConnection(String state) {
        return state != null && (state.startsWith("08") || ENDED_BY_THE_DATABASE.contains(state));
    }
}
