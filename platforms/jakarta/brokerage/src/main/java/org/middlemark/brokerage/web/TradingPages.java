package org.middlemark.brokerage.web;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.servlet.ServletException;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.middlemark.brokerage.domain.Holding;
import org.middlemark.brokerage.domain.Limits;
import org.middlemark.brokerage.domain.Money;
import org.middlemark.brokerage.domain.Quote;
import org.middlemark.brokerage.domain.WholeNumber;
import org.middlemark.brokerage.services.BrokerageServices;

/** Portfolio, quotes and orders. */
@ApplicationScoped
public class TradingPages {
    private static final Pattern SEPARATORS = Pattern.compile("[,\\p{IsWhite_Space}]+");
    private static final List<String> FIRST = List.of("s:0", "s:1", "s:2", "s:3", "s:4");

    @Inject
    private ServicesInReach services;

    void portfolio(Visit visit) throws IOException, ServletException {
        BrokerageServices called = services.services();
        List<Holding> holdings = called.getHoldings(visit.userId());
        visit.with("holdings", holdings).with("cost", sum(holdings, Holding::cost))
                .with("value", sum(holdings, Holding::value)).with("gain", sum(holdings, Holding::gain))
                .with("alerts", called.getClosedOrders(visit.userId()))
                .show("portfolio");
    }

    void quotes(Visit visit) throws IOException, ServletException {
        BrokerageServices called = services.services();
        List<String> typed = SEPARATORS.splitAsStream(visit.value("symbols")).filter(word -> !word.isEmpty()).toList();
        List<String> symbols = typed.isEmpty() ? FIRST : typed;
        List<Quote> quotes = called.getQuotes(symbols);
        Set<String> unknown = new LinkedHashSet<>(symbols);
        quotes.forEach(quote -> unknown.remove(quote.symbol()));
        visit.with("symbols", String.join(",", symbols)).with("quotes", quotes)
                .with("unknown", String.join(", ", unknown))
                .with("alerts", called.getClosedOrders(visit.userId())).show("quotes");
    }

    void buy(Visit visit) throws IOException, ServletException {
        String symbol = visit.value("symbol");
        Limits.symbol(symbol);
        long quantity = WholeNumber.typed(visit.value("quantity")).orElseThrow(Limits::quantity);
        visit.with("order", services.services().buy(visit.userId(), symbol, quantity)).show("order");
    }

    void sell(Visit visit) throws IOException, ServletException {
        long holdingId = WholeNumber.typed(visit.value("holding_id")).orElseThrow(Limits::holdingId);
        visit.with("order", services.services().sell(visit.userId(), holdingId)).show("order");
    }

    private static BigDecimal sum(List<Holding> holdings, Function<Holding, BigDecimal> amount) {
        return holdings.stream().map(amount).reduce(Money.ZERO, BigDecimal::add);
    }
}
