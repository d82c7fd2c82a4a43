package org.middlemark.remoting.client.local;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.net.URI;
import java.util.Optional;
import org.middlemark.life.DatabaseHealth;
import org.middlemark.remoting.domain.Service;
import org.middlemark.remoting.settings.Settings;
import org.middlemark.remoting.store.OfferedService;
import org.middlemark.settings.DatabaseAddress;

/** The service in the client's process: the classes of the archive, with a pool where that has a server. */
public final class LocalService implements AutoCloseable {
    private static final long POOL_TIMEOUT_MILLISECONDS = 10_000;
    private static final int DEFAULT_PORT = 5432;

    private final HikariDataSource pool;

    private LocalService(HikariDataSource pool) {
        this.pool = pool;
    }

    /** The service of a process that carries it; nothing in another one. The database need not be there yet. */
    public static Optional<LocalService> of(Settings settings) {
        return settings.database().map(database -> new LocalService(pool(database, settings.databasePool())));
    }

    private static HikariDataSource pool(DatabaseAddress database, int size) {
        URI address = database.address();
        String[] user = address.getUserInfo().split(":", 2);
        HikariConfig config = new HikariConfig();
        int port = address.getPort() < 0 ? DEFAULT_PORT : address.getPort();
        config.setJdbcUrl("jdbc:postgresql://" + address.getHost() + ":" + port + address.getRawPath());
        config.setUsername(user[0]);
        config.setPassword(user.length > 1 ? user[1] : "");
        config.setMaximumPoolSize(size);
        config.setConnectionTimeout(POOL_TIMEOUT_MILLISECONDS);
        config.setInitializationFailTimeout(-1);
        config.addDataSourceProperty("connectTimeout", "2");
        config.addDataSourceProperty("socketTimeout", "20");
        return new HikariDataSource(config);
    }

    /** The operations. */
    public Service service() {
        return new OfferedService(new PooledTransactions(pool));
    }

    /** Why the database does not answer, in one line; nothing when it does within so many seconds. */
    public Optional<String> trouble(int seconds) {
        return DatabaseHealth.trouble("northwind", pool, seconds);
    }

    @Override
    public void close() {
        pool.close();
    }
}
