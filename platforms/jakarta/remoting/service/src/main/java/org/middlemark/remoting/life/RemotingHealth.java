package org.middlemark.remoting.life;

import jakarta.enterprise.context.ApplicationScoped;
import java.util.Optional;
import org.middlemark.life.DatabaseHealth;
import org.middlemark.life.Health;

/** The database answers. */
@ApplicationScoped
public class RemotingHealth implements Health {
    @Override
    public Optional<String> trouble(int seconds) {
        return DatabaseHealth.trouble("northwind", seconds);
    }
}
