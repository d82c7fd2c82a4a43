package org.middlemark.brokerage.life;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Makes a pool open the connections that it misses. It opens one only when all it has are taken, so all that are free
 * are taken with the missing ones, and given back at once, but for those that were lost meanwhile: whoever got one of
 * them later would be refused.
 *
 * @param size how many the pool has at this moment; nothing when it does not say
 * @param most how many it is to have
 * @param longest time after which no more are taken
 */
record Opening(Source source, Supplier<OptionalInt> size, int most, Duration longest) {
    private static final Logger LOG = Logger.getLogger(Opening.class.getName());
    private static final int LONGEST_ANSWER_SECONDS = 1;

    /** Gives a connection. */
    @FunctionalInterface
    interface Source {
        Connection take() throws SQLException;
    }

    /** Does it once; true when some are still missing. */
    boolean fill() throws SQLException {
        long start = System.nanoTime();
        List<Connection> taken = new ArrayList<>();
        boolean missing = false;
        boolean sound = true;
        try {
            while (!missing && isMissing(taken.size())) {
                missing = System.nanoTime() - start >= longest.toNanos();
                if (!missing) {
                    taken.add(source.take());
                }
            }
        } finally {
            for (Connection connection : taken) { // after one that is lost none is asked: each may take its second
                sound = giveBack(connection, sound) && sound;
            }
        }
        return missing || !sound;
    }

    private boolean isMissing(int taken) {
        return taken < most && size.get().orElse(taken) < most;
    }

    /** False when the connection was lost; then the pool keeps it no longer. */
    private static boolean giveBack(Connection connection, boolean ask) {
        try (connection) {
            boolean sound = ask && connection.isValid(LONGEST_ANSWER_SECONDS);
            if (!sound) {
                connection.abort(Runnable::run);
            }
            return sound;
        } catch (SQLException lostMeanwhile) {
            LOG.log(Level.FINE, "a connection was lost while it was given back", lostMeanwhile);
            return false;
        }
    }
}
