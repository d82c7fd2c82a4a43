package org.middlemark.database;

import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTransientConnectionException;
import java.util.Optional;
import java.util.Set;
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
        return cause(failure).map(SQLException::getSQLState).filter(REPEATED::contains).isPresent();
    }

    /** Whether there is a row with such a key already. */
    public static boolean isDuplicate(Throwable failure) {
        return cause(failure).map(SQLException::getSQLState).filter(UNIQUE_VIOLATION::equals).isPresent();
    }

    /** Whether a later attempt may go well: after a deadlock, without a connection, too late. */
    public static boolean isCurable(Throwable failure) {
        return refusal(failure).code() == Code.UNAVAILABLE;
    }

    /** What the client is told; a refusal stays what it is. */
    public static Refusal refusal(Throwable failure) {
        if (failure instanceof Refusal refusal) {
            return refusal;
        }
        return cause(failure).filter(Failures::isUnavailable).isPresent() ? Refusal.unavailable(failure)
                : Refusal.internal(failure);
    }

    /** What the database or its driver said, in one line; what was thrown where neither of them has said anything. */
    public static String message(Refusal refusal) {
        String message = cause(refusal).map(SQLException::getMessage).orElse(String.valueOf(refusal.getCause()));
        return message.lines().findFirst().orElse("");
    }

    private static boolean isUnavailable(SQLException failure) {
        String state = failure.getSQLState();
        return isLost(failure) || state != null && (TOOK_TOO_LONG.equals(state) || REPEATED.contains(state));
    }

    private static boolean isLost(SQLException failure) {
        String state = failure.getSQLState();
        return failure instanceof SQLTransientConnectionException
                || failure instanceof SQLNonTransientConnectionException
                || failure instanceof SQLRecoverableException
                || state != null && (LOST.contains(state) || state.startsWith(CONNECTION));
    }

    private static Optional<SQLException> cause(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException refused) {
                return Optional.of(refused);
            }
        }
        return Optional.empty();
    }
}
