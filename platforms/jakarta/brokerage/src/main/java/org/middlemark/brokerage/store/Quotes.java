package org.middlemark.brokerage.store;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.middlemark.brokerage.domain.MarketSummary;
import org.middlemark.brokerage.domain.Quote;
import org.middlemark.brokerage.domain.TradedQuote;

/** Quotes. */
public interface Quotes {
    Optional<Quote> find(String symbol);

    /** Those there are, in any order. */
    List<Quote> find(Collection<String> symbols);

    /** Locks the row and reads it. */
    Optional<TradedQuote> lock(String symbol);

    /** Locks the rows by symbol and reads them; symbols that do not exist are left out. */
    Map<String, TradedQuote> lock(Collection<String> symbols);

    /** Writes a quote that the transaction has locked. */
    void move(TradedQuote moved);

    /** Each figure is of some moment of the reading. */
    MarketSummary summary();
}
