package org.middlemark.brokerage.store.jdbc;

import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.middlemark.brokerage.domain.MarketSummary;
import org.middlemark.brokerage.domain.Quote;
import org.middlemark.brokerage.domain.TradedQuote;
import org.middlemark.brokerage.store.Quotes;
import org.middlemark.database.Statements;
import org.middlemark.values.Money;

final class JdbcQuotes implements Quotes {
    private static final String COLUMNS = "symbol, company, price, open, low, high, change, volume";
    private static final String FIND = "SELECT " + COLUMNS + " FROM quotes WHERE symbol = ?";
    private static final String FIND_ALL = "SELECT " + COLUMNS + " FROM quotes WHERE symbol = ANY (?)";
    private static final String LOCK = "SELECT " + COLUMNS + ", trades FROM quotes WHERE symbol = ? FOR NO KEY UPDATE";
    private static final String LOCK_ALL =
            "SELECT " + COLUMNS + ", trades FROM quotes WHERE symbol = ANY (?) ORDER BY symbol FOR NO KEY UPDATE";
    private static final String MOVE =
            "UPDATE quotes SET price = ?, low = ?, high = ?, change = ?, volume = ?, trades = ? WHERE symbol = ?";
    private static final String TOTALS =
            "SELECT sum(price) AS prices, sum(open) AS opens, sum(volume) AS volumes, count(*) AS number FROM quotes";
    private static final String GAINERS = "SELECT " + COLUMNS + " FROM quotes ORDER BY change DESC, symbol LIMIT ?";
    private static final String LOSERS = "SELECT " + COLUMNS + " FROM quotes ORDER BY change, symbol LIMIT ?";

    private final Statements statements;

    JdbcQuotes(Statements statements) {
        this.statements = statements;
    }

    @Override
    public Optional<Quote> find(String symbol) {
        return statements.row(FIND, JdbcQuotes::quote, symbol);
    }

    @Override
    public List<Quote> find(Collection<String> symbols) {
        return statements.rows(FIND_ALL, JdbcQuotes::quote, symbols);
    }

    @Override
    public Optional<TradedQuote> lock(String symbol) {
        return statements.row(LOCK, JdbcQuotes::traded, symbol);
    }

    @Override
    public Map<String, TradedQuote> lock(Collection<String> symbols) {
        return statements.rows(LOCK_ALL, JdbcQuotes::traded, symbols).stream()
                .collect(Collectors.toMap(traded -> traded.quote().symbol(), Function.identity()));
    }

    @Override
    public void move(TradedQuote moved) {
        Quote quote = moved.quote();
        statements.change(MOVE, quote.price(), quote.low(), quote.high(), quote.change(), quote.volume(),
                moved.trades(), quote.symbol());
    }

    @Override
    public MarketSummary summary() {
        Instant now = Instant.now().truncatedTo(ChronoUnit.MICROS);
        List<Quote> gainers = statements.rows(GAINERS, JdbcQuotes::quote, MarketSummary.MOVERS);
        List<Quote> losers = statements.rows(LOSERS, JdbcQuotes::quote, MarketSummary.MOVERS);
        return statements.row(TOTALS, row -> new MarketSummary(average(row, "prices"), average(row, "opens"),
                row.getLong("volumes"), gainers, losers, now)).orElseThrow();
    }

    private static BigDecimal average(ResultSet totals, String sum) throws SQLException {
        return Money.average(totals.getBigDecimal(sum), totals.getLong("number"));
    }

    private static TradedQuote traded(ResultSet row) throws SQLException {
        return new TradedQuote(quote(row), row.getLong("trades"));
    }

    private static Quote quote(ResultSet row) throws SQLException {
        return new Quote(row.getString("symbol"), row.getString("company"), row.getBigDecimal("price"),
                row.getBigDecimal("open"), row.getBigDecimal("low"), row.getBigDecimal("high"),
                row.getBigDecimal("change"), row.getLong("volume"));
    }
}
