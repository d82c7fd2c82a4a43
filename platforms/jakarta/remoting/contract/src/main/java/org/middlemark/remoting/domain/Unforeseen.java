package org.middlemark.remoting.domain;

import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.middlemark.refusals.Refusal;

/** Unforeseen failures: {@code internal} over every protocol, with their details in the log alone. */
public final class Unforeseen {
    private static final Logger LOG = Logger.getLogger(Unforeseen.class.getName());

    private Unforeseen() {
    }

    /** Does a call, which then throws a Refusal and nothing else. */
    public static <T> T asInternal(Supplier<T> call) {
        try {
            return call.get();
        } catch (Refusal refusal) {
            throw refusal;
        } catch (RuntimeException unforeseen) {
            LOG.log(Level.SEVERE, "A call failed", unforeseen);
            throw Refusal.internal(unforeseen);
        }
    }
}
