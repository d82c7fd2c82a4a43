package org.middlemark.spice.life;

import jakarta.enterprise.context.ApplicationScoped;
import java.util.Optional;
import org.middlemark.life.Health;

/** An application that has started lacks nothing. */
@ApplicationScoped
public class SpiceHealth implements Health {
    @Override
    public Optional<String> trouble(int seconds) {
        return Optional.empty();
    }
}
