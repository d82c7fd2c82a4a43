package org.middlemark.brokerage.web;

import jakarta.inject.Inject;
import jakarta.servlet.ServletException;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.middlemark.brokerage.domain.Quote;
import org.middlemark.brokerage.services.BrokerageServices;
import org.middlemark.pages.Page;

/** The quotes that are asked for, and forms to buy. */
@WebServlet("/quotes")
public class QuotesPage extends Page {
    private static final Pattern SEPARATORS = Pattern.compile("[,\\p{IsWhite_Space}]+");
    private static final List<String> FIRST = List.of("s:0", "s:1", "s:2", "s:3", "s:4");

    private final ServicesInReach services;

    @Inject
    public QuotesPage(ServicesInReach services) {
        this.services = services;
    }

    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        doGet(request, response);
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        BrokerageServices called = services.services();
        List<String> typed = SEPARATORS.splitAsStream(value(request, "symbols")).filter(word -> !word.isEmpty())
                .toList();
        List<String> symbols = typed.isEmpty() ? FIRST : typed;
        List<Quote> quotes = called.getQuotes(symbols);
        Set<String> unknown = new LinkedHashSet<>(symbols);
        quotes.forEach(quote -> unknown.remove(quote.symbol()));
        request.setAttribute("symbols", String.join(",", symbols));
        request.setAttribute("quotes", quotes);
        request.setAttribute("unknown", String.join(", ", unknown));
        request.setAttribute("alerts", called.getClosedOrders(LogIn.user(request)));
        show("quotes", request, response);
    }
}
