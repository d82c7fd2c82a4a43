package org.middlemark.brokerage.orders;

import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.middlemark.brokerage.database.Times;
import org.middlemark.brokerage.settings.WithDatabase;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** The rows of {@code holdings}, with the prices of their quotes. */
@Repository
@WithDatabase
class HoldingRepository {

    private final JdbcClient database;

    HoldingRepository(JdbcClient database) {
        this.database = database;
    }

    /** By holding id; nothing without such a user. A user without holdings is one row without a holding. */
    Optional<List<Holding>> findAll(String userId) {
        List<Optional<Holding>> rows = database.sql("""
                SELECT holding_id, symbol, quantity, purchase_price, purchase_time, price, being_sold
                FROM accounts LEFT JOIN (holdings JOIN quotes USING (symbol)) USING (account_id)
                WHERE user_id = :userId ORDER BY holding_id""")
                .param("userId", userId)
                .query((row, number) -> row.getObject("holding_id") == null ? Optional.<Holding>empty() : Optional.of(holding(row, number)))
                .list();
        return rows.isEmpty() ? Optional.empty() : Optional.of(rows.stream().flatMap(Optional::stream).toList());
    }

    Optional<Holding> find(String userId, long holdingId) {
        return database.sql("""
                SELECT holding_id, holdings.symbol, quantity, purchase_price, purchase_time, price, being_sold
                FROM accounts JOIN holdings USING (account_id) JOIN quotes ON quotes.symbol = holdings.symbol
                WHERE user_id = :userId AND holding_id = :holdingId""")
                .param("userId", userId)
                .param("holdingId", holdingId)
                .query(HoldingRepository::holding)
                .optional();
    }

    /** Locks a holding of the account, within a transaction. */
    Optional<LockedHolding> lock(long accountId, long holdingId) {
        return database.sql("""
                SELECT holding_id, symbol, quantity, being_sold FROM holdings
                WHERE holding_id = :holdingId AND account_id = :accountId FOR UPDATE""")
                .param("holdingId", holdingId)
                .param("accountId", accountId)
                .query(LockedHolding.class)
                .optional();
    }

    /** Inserts what a buy has bought, and returns its id. */
    long insert(long accountId, String symbol, long quantity, BigDecimal price, Instant now) {
        return database.sql("""
                INSERT INTO holdings (account_id, symbol, quantity, purchase_price, purchase_time, being_sold)
                VALUES (:accountId, :symbol, :quantity, :price, :now, false)
                RETURNING holding_id""")
                .param("accountId", accountId)
                .param("symbol", symbol)
                .param("quantity", quantity)
                .param("price", price)
                .param("now", Times.parameter(now))
                .query(Long.class)
                .single();
    }

    void delete(long holdingId) {
        database.sql("DELETE FROM holdings WHERE holding_id = :holdingId").param("holdingId", holdingId).update();
    }

    private static Holding holding(ResultSet row, int number) throws SQLException {
        return new Holding(row.getLong("holding_id"), row.getString("symbol"), row.getLong("quantity"), row.getBigDecimal("purchase_price"),
                Times.column(row, "purchase_time"), row.getBigDecimal("price"), row.getBoolean("being_sold"));
    }

    /** A holding whose row is locked until the end of the transaction. */
    record LockedHolding(long holdingId, String symbol, long quantity, boolean beingSold) {
    }
}
