package org.middlemark.brokerage.store.jpa;

import java.math.BigDecimal;
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
import org.middlemark.values.Money;

final class JpaQuotes implements Quotes {
    private static final String BY_SYMBOL = "SELECT q FROM QuoteRow q WHERE q.symbol IN :symbols ORDER BY q.symbol";
    private static final String TOTALS = "SELECT SUM(q.price), SUM(q.open), SUM(q.volume), COUNT(q) FROM QuoteRow q";
    private static final String GAINERS = "SELECT q FROM QuoteRow q ORDER BY q.change DESC, q.symbol";
    private static final String LOSERS = "SELECT q FROM QuoteRow q ORDER BY q.change, q.symbol";

    private final BrokerageEntities entities;

    JpaQuotes(BrokerageEntities entities) {
        this.entities = entities;
    }

    @Override
    public Optional<Quote> find(String symbol) {
        return entities.find(QuoteRow.class, symbol).map(QuoteRow::quote);
    }

    @Override
    public List<Quote> find(Collection<String> symbols) {
        return entities.list(BY_SYMBOL, QuoteRow.class, Map.of("symbols", symbols)).stream().map(QuoteRow::quote)
                .toList();
    }

    @Override
    public Optional<TradedQuote> lock(String symbol) {
        return entities.findLocked(QuoteRow.class, symbol).map(QuoteRow::traded);
    }

    @Override
    public Map<String, TradedQuote> lock(Collection<String> symbols) {
        return entities.lock(BY_SYMBOL, QuoteRow.class, Map.of("symbols", symbols)).stream().map(QuoteRow::traded)
                .collect(Collectors.toMap(traded -> traded.quote().symbol(), Function.identity()));
    }

    @Override
    public void move(TradedQuote moved) {
        entities.find(QuoteRow.class, moved.quote().symbol()).orElseThrow().move(moved);
    }

    @Override
    public MarketSummary summary() {
        Instant now = Instant.now().truncatedTo(ChronoUnit.MICROS);
        Object[] totals = entities.list(TOTALS, Object[].class, Map.of()).get(0);
        long number = (Long) totals[3];
        long volume = number == 0 ? 0 : (Long) totals[2];
        return new MarketSummary(average(totals[0], number), average(totals[1], number), volume, movers(GAINERS),
                movers(LOSERS), now);
    }

    private List<Quote> movers(String query) {
        return entities.list(query, QuoteRow.class, Map.of(), 0, MarketSummary.MOVERS).stream().map(QuoteRow::quote)
                .toList();
    }

    private static BigDecimal average(Object sum, long number) {
        return number == 0 ? Money.ZERO : Money.average((BigDecimal) sum, number);
    }
}
