package org.middlemark.brokerage.pages;

import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.middlemark.brokerage.operations.Brokerage;
import org.middlemark.brokerage.operations.Request;
import org.middlemark.brokerage.quotes.Quote;
import org.middlemark.brokerage.settings.WebTier;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.SessionAttribute;

/** Quotes of the symbols that somebody asks for. */
@Controller
@WebTier
class QuotesController {

    private static final List<String> SYMBOLS_IF_NONE = List.of("s:0", "s:1", "s:2", "s:3", "s:4");

    private final Brokerage services;
    private final Alerts alerts;

    QuotesController(@Qualifier("services") Brokerage services, Alerts alerts) {
        this.services = services;
        this.alerts = alerts;
    }

    @RequestMapping(path = "/quotes", method = {RequestMethod.GET, RequestMethod.POST})
    String quotes(@SessionAttribute(UserSession.USER) String user, @RequestParam(defaultValue = "") String symbols, Model model) {
        List<String> asked = symbols(symbols);
        List<Quote> quotes = services.getQuotes(new Request.Symbols(asked)).quotes();
        model.addAttribute("symbols", String.join(",", asked));
        model.addAttribute("unknown", String.join(", ", unknown(asked, quotes)));
        model.addAttribute("rows", QuoteRow.of(quotes));
        alerts.add(user, model);
        return "quotes";
    }

    /** Symbols are separated by commas or white space. */
    private static List<String> symbols(String typed) {
        List<String> symbols = Arrays.stream(typed.split("(?U)[,\\s]+")).filter(symbol -> !symbol.isEmpty()).toList();
        return symbols.isEmpty() ? SYMBOLS_IF_NONE : symbols;
    }

    private static Set<String> unknown(List<String> asked, List<Quote> found) {
        Set<String> unknown = new LinkedHashSet<>(asked);
        found.stream().map(Quote::symbol).forEach(unknown::remove);
        return unknown;
    }
}
