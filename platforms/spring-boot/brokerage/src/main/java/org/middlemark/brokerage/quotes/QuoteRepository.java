package org.middlemark.brokerage.quotes;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.middlemark.brokerage.settings.WithDatabase;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** The rows of {@code quotes}. */
@Repository
@WithDatabase
public class QuoteRepository {

    private static final String SELECT = "SELECT symbol, company, price, open, low, high, change, volume FROM quotes ";

    private final JdbcClient database;

    QuoteRepository(JdbcClient database) {
        this.database = database;
    }

    Optional<Quote> find(String symbol) {
        return database.sql(SELECT + "WHERE symbol = :symbol").param("symbol", symbol).query(QuoteRepository::quote).optional();
    }

    List<Quote> findAll(Collection<String> symbols) {
        return database.sql(SELECT + "WHERE symbol IN (:symbols)").param("symbols", symbols).query(QuoteRepository::quote).list();
    }

    Averages averages() {
        return database.sql("SELECT avg(price) AS price, avg(open) AS open, sum(volume) AS volume FROM quotes")
                .query((row, number) -> new Averages(cents(row.getBigDecimal("price")), cents(row.getBigDecimal("open")),
                        row.getLong("volume")))
                .single();
    }

    List<Quote> gainers(int most) {
        return database.sql(SELECT + "ORDER BY change DESC, symbol LIMIT :most").param("most", most).query(QuoteRepository::quote).list();
    }

    List<Quote> losers(int most) {
        return database.sql(SELECT + "ORDER BY change, symbol LIMIT :most").param("most", most).query(QuoteRepository::quote).list();
    }

    /** Locks a quote, within a transaction. */
    public Optional<LockedQuote> lock(String symbol) {
        return database.sql("SELECT symbol, price, trades FROM quotes WHERE symbol = :symbol FOR NO KEY UPDATE")
                .param("symbol", symbol)
                .query((row, number) -> new LockedQuote(row.getString("symbol"), row.getBigDecimal("price"), row.getLong("trades")))
                .optional();
    }

    /** Writes what a completed order makes of a quote. */
    public void move(LockedQuote quote, long quantity) {
        database.sql("""
                UPDATE quotes SET price = :price, low = least(low, :price), high = greatest(high, :price), change = :price - open,
                    volume = volume + :quantity, trades = trades + 1
                WHERE symbol = :symbol""")
                .param("price", quote.nextPrice())
                .param("quantity", quantity)
                .param("symbol", quote.symbol())
                .update();
    }

    private static Quote quote(ResultSet row, int number) throws SQLException {
        return new Quote(row.getString("symbol"), row.getString("company"), row.getBigDecimal("price"), row.getBigDecimal("open"),
                row.getBigDecimal("low"), row.getBigDecimal("high"), row.getBigDecimal("change"), row.getLong("volume"));
    }

    private static BigDecimal cents(BigDecimal average) {
        return average.setScale(2, RoundingMode.HALF_UP);
    }

    /** What the market summary says of all quotes together. */
    record Averages(BigDecimal price, BigDecimal open, long volume) {
    }
}
