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
 * are taken with the missing ones, and given back at once.
 *
 * @param size how many the pool has at this moment; nothing when it does not say
 * @param most how many it is to have
 * @param longest time after which no more are taken
 */
record Opening(Source source, Supplier<OptionalInt> size, int most, Duration longest) {
    private static final Logger LOG = Logger.getLogger(Opening.class.getName());

    /** Gives a connection. */
    @FunctionalInterface
    interface Source {
        Connection take() throws SQLException;
    }

    /** Does it once; true when some are still missing. */
    boolean fill() throws SQLException {
        long start = System.nanoTime();
        List<Connection> taken = new ArrayList<>();
        try {
            while (isMissing(taken.size())) {
                if (System.nanoTime() - start >= longest.toNanos()) {
                    return true;
                }
                taken.add(source.take());
            }
            return false;
        } finally {
            taken.forEach(Opening::giveBack);
        }
    }

    private boolean isMissing(int taken) {
        return taken < most && size.get().orElse(taken) < most;
    }

    private static void giveBack(Connection connection) {
        try {
            connection.close();
        } catch (SQLException lostMeanwhile) {
            LOG.log(Level.FINE, "a connection was lost while it was given back", lostMeanwhile);
        }
    }
}
