package org.middlemark.brokerage.database;

import org.middlemark.brokerage.process.HealthCheck;
import org.middlemark.brokerage.settings.WithDatabase;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** The database answers a query. */
@Component
@WithDatabase
class DatabaseHealth implements HealthCheck {

    private static final int SECONDS = 2;

    private final JdbcClient database;

    DatabaseHealth(JdbcClient database) {
        this.database = database;
    }

    @Override
    public void check() {
        database.sql("SELECT 1").withQueryTimeout(SECONDS).query(Integer.class).single();
    }
}
