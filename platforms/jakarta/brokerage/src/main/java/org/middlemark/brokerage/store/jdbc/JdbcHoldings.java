package org.middlemark.brokerage.store.jdbc;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.middlemark.brokerage.domain.HeldShares;
import org.middlemark.brokerage.domain.Holding;
import org.middlemark.brokerage.domain.Order;
import org.middlemark.brokerage.domain.PlacedOrder;
import org.middlemark.brokerage.store.Holdings;
import org.middlemark.database.Statements;

final class JdbcHoldings implements Holdings {
    private static final String COLUMNS =
            "h.holding_id, h.symbol, h.quantity, h.purchase_price, h.purchase_time, h.being_sold, q.price";
    /** A user without holdings is one row without holding, an unknown user none. */
    private static final String OF_USER = "SELECT " + COLUMNS + """
             FROM accounts a LEFT JOIN (holdings h JOIN quotes q ON q.symbol = h.symbol) ON h.account_id = a.account_id
            WHERE a.user_id = ? ORDER BY h.holding_id""";
    private static final String FIND = "SELECT " + COLUMNS + """
             FROM holdings h JOIN quotes q ON q.symbol = h.symbol JOIN accounts a ON a.account_id = h.account_id
            WHERE a.user_id = ? AND h.holding_id = ?""";
    private static final String LOCK = """
            SELECT holding_id, symbol, quantity, being_sold FROM holdings WHERE account_id = ? AND holding_id = ?
            FOR NO KEY UPDATE""";
    private static final String LOCK_ALL =
            "SELECT holding_id FROM holdings WHERE holding_id = ANY (?) ORDER BY holding_id FOR NO KEY UPDATE";
    private static final String OPEN = """
            INSERT INTO holdings (account_id, symbol, quantity, purchase_price, purchase_time, being_sold)
            VALUES (?, ?, ?, ?, ?, false) RETURNING holding_id""";
    private static final String MARK = "UPDATE holdings SET being_sold = true WHERE holding_id = ?";
    private static final String REMOVE = "DELETE FROM holdings WHERE holding_id = ?";

    private final Statements statements;

    JdbcHoldings(Statements statements) {
        this.statements = statements;
    }

    @Override
    public Optional<List<Holding>> ofUser(String userId) {
        List<Optional<Holding>> rows = statements.rows(OF_USER, JdbcHoldings::holding, userId);
        return rows.isEmpty() ? Optional.empty() : Optional.of(rows.stream().flatMap(Optional::stream).toList());
    }

    @Override
    public Optional<Holding> find(String userId, long holdingId) {
        return statements.row(FIND, JdbcHoldings::holding, userId, holdingId).flatMap(holding -> holding);
    }

    @Override
    public Optional<HeldShares> lock(long accountId, long holdingId) {
        return statements.row(LOCK, row -> new HeldShares(row.getLong("holding_id"), row.getString("symbol"),
                row.getLong("quantity"), row.getBoolean("being_sold")), accountId, holdingId);
    }

    @Override
    public Set<Long> lock(Collection<Long> holdingIds) {
        return Set.copyOf(statements.rows(LOCK_ALL, row -> row.getLong(1), holdingIds));
    }

    @Override
    public long open(PlacedOrder buy, Instant now) {
        Order order = buy.order();
        return statements.row(OPEN, row -> row.getLong(1), buy.accountId(), order.symbol(), order.quantity(),
                order.price(), now).orElseThrow();
    }

    @Override
    public void markBeingSold(long holdingId) {
        statements.change(MARK, holdingId);
    }

    @Override
    public boolean remove(long holdingId) {
        return statements.change(REMOVE, holdingId) == 1;
    }

    private static Optional<Holding> holding(ResultSet row) throws SQLException {
        Long holdingId = row.getObject("holding_id", Long.class);
        if (holdingId == null) {
            return Optional.empty();
        }
        return Optional.of(new Holding(holdingId, row.getString("symbol"), row.getLong("quantity"),
                row.getBigDecimal("purchase_price"), Statements.instant(row, "purchase_time"),
                row.getBigDecimal("price"), row.getBoolean("being_sold")));
    }
}
