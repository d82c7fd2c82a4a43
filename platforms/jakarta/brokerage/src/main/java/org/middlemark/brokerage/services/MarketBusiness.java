package org.middlemark.brokerage.services;

import jakarta.ejb.Stateless;
import jakarta.ejb.TransactionAttribute;
import jakarta.ejb.TransactionAttributeType;
import jakarta.inject.Inject;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.middlemark.brokerage.domain.Codes;
import org.middlemark.brokerage.domain.MarketSummary;
import org.middlemark.brokerage.domain.Quote;
import org.middlemark.brokerage.store.Store;
import org.middlemark.refusals.Refusal;

/** Quotes, which are only read here. */
@Stateless
@TransactionAttribute(TransactionAttributeType.SUPPORTS)
public class MarketBusiness {
    @Inject
    private Store store;

    public Quote quote(String symbol) {
        return store.quotes().find(symbol).orElseThrow(() -> unknown(symbol));
    }

    /** In the order asked, each once. */
    public List<Quote> quotes(List<String> symbols) {
        LinkedHashSet<String> asked = new LinkedHashSet<>(symbols);
        Map<String, Quote> found = store.quotes().find(asked).stream()
                .collect(Collectors.toMap(Quote::symbol, Function.identity()));
        return asked.stream().map(found::get).filter(Objects::nonNull).toList();
    }

    public MarketSummary summary() {
        return store.quotes().summary();
    }

    static Refusal unknown(String symbol) {
        return new Refusal(Codes.UNKNOWN_SYMBOL, "There is no symbol " + symbol + ".");
    }
}
