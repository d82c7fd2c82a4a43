package org.middlemark.database;

import jakarta.transaction.HeuristicMixedException;
import jakarta.transaction.HeuristicRollbackException;
import jakarta.transaction.RollbackException;
import jakarta.transaction.SystemException;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTransientConnectionException;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import javax.transaction.xa.XAException;
import org.middlemark.refusals.Code;
import org.middlemark.refusals.Refusal;

/** What comes of a failure of the database, by its SQLSTATE (specs/README.md, "Errors"). */
public final class Failures {
    private static final Set<String> REPEATED = Set.of("40P01", "40001");
    /** The class of what befalls a connection. */
    private static final String CONNECTION = "08";
    /** The database has no connection left, ends, has crashed, begins, has been dropped, or ends an idle session. */
    private static final Set<String> LOST = Set.of("53300", "57P01", "57P02", "57P03", "57P04", "57P05");
    private static final String TOOK_TOO_LONG = "57014";
    private static final String UNIQUE_VIOLATION = "23505";

    private Failures() {
    }

    /** Whether the operation may go well when it is repeated: a deadlock or a serialization failure. */
    public static boolean isRepeatable(Throwable failure) {
        return states(failure).anyMatch(REPEATED::contains);
    }

    /** Whether there is a row with such a key already. */
    public static boolean isDuplicate(Throwable failure) {
        return states(failure).anyMatch(UNIQUE_VIOLATION::equals);
    }

    /** Whether a later attempt may go well: after a deadlock, without a connection, too late. */
    public static boolean isCurable(Throwable failure) {
        return refusal(failure).code() == Code.UNAVAILABLE;
    }

    /**
     * Whether the transaction manager could not commit: the transaction is rolled back, or its outcome is not known. It
     * need not say what the database said.
     */
    public static boolean isOfCommit(Throwable failure) {
        return causes(failure).anyMatch(cause -> cause instanceof XAException || cause instanceof RollbackException
                || cause instanceof HeuristicMixedException || cause instanceof HeuristicRollbackException
                || cause instanceof SystemException);
    }

    /** What the client is told; a refusal stays what it is. */
    public static Refusal refusal(Throwable failure) {
        if (failure instanceof Refusal refusal) {
            return refusal;
        }
        return causes(failure).anyMatch(Failures::isUnavailable) ? Refusal.unavailable(failure)
                : Refusal.internal(failure);
    }

    /** What the database or its driver said, in one line; what was thrown where neither of them has said anything. */
    public static String message(Refusal refusal) {
        String message = causes(refusal).filter(SQLException.class::isInstance).map(Throwable::getMessage).findFirst()
                .orElse(String.valueOf(refusal.getCause()));
        return message.lines().findFirst().orElse("");
    }

    /**
     * The database's driver gives each failure a state. One without comes from the server, which has no connection to
     * give.
     */
    private static boolean isUnavailable(Throwable cause) {
        return cause instanceof SQLException failure
                && (failure.getSQLState() == null || isUnavailable(failure.getSQLState())
                || cause instanceof SQLTransientConnectionException
                || cause instanceof SQLNonTransientConnectionException
                || cause instanceof SQLRecoverableException);
    }

    private static boolean isUnavailable(String state) {
        return LOST.contains(state) || state.startsWith(CONNECTION) || TOOK_TOO_LONG.equals(state)
                || REPEATED.contains(state);
    }

    private static Stream<String> states(Throwable failure) {
        return causes(failure).filter(SQLException.class::isInstance)
                .map(cause -> ((SQLException) cause).getSQLState()).filter(Objects::nonNull);
    }

    private static Stream<Throwable> causes(Throwable failure) {
        return Stream.iterate(failure, Objects::nonNull, Throwable::getCause);
    }
}
