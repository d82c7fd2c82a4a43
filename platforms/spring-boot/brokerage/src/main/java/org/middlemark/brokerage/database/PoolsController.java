package org.middlemark.brokerage.database;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.HikariPoolMXBean;
import java.util.Map;
import org.middlemark.brokerage.settings.WithDatabase;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.annotation.JsonNaming;

/** Tells what HikariCP counts of the connections to the database. */
@RestController
@WithDatabase
class PoolsController {

    private final HikariDataSource connections;

    PoolsController(HikariDataSource connections) {
        this.connections = connections;
    }

    @GetMapping("/pools")
    Map<String, Pool> pools() {
        HikariPoolMXBean pool = connections.getHikariPoolMXBean();
        int size = connections.getMaximumPoolSize();
        // There is no pool before the first connection is asked for.
        return Map.of("brokerage",
                pool == null ? new Pool(size, 0, 0) : new Pool(size, pool.getActiveConnections(), pool.getThreadsAwaitingConnection()));
    }

    /** The connections to one database at one moment: the most there can be, those given out, threads that wait for one. */
    @JsonNaming(PropertyNamingStrategies.SnakeCaseStrategy.class)
    record Pool(int size, int inUse, int waiting) {
    }
}
