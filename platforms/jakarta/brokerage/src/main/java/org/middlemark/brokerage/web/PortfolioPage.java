package org.middlemark.brokerage.web;

import jakarta.inject.Inject;
import jakarta.servlet.ServletException;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.List;
import java.util.function.Function;
import org.middlemark.brokerage.domain.Holding;
import org.middlemark.brokerage.services.BrokerageServices;
import org.middlemark.pages.Page;
import org.middlemark.values.Money;

/** The holdings and what they are worth. */
@WebServlet("/portfolio")
public class PortfolioPage extends Page {
    private final ServicesInReach services;

    @Inject
    public PortfolioPage(ServicesInReach services) {
        this.services = services;
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        BrokerageServices called = services.services();
        List<Holding> holdings = called.getHoldings(LogIn.user(request));
        request.setAttribute("holdings", holdings);
        request.setAttribute("cost", sum(holdings, Holding::cost));
        request.setAttribute("value", sum(holdings, Holding::value));
        request.setAttribute("gain", sum(holdings, Holding::gain));
        request.setAttribute("alerts", called.getClosedOrders(LogIn.user(request)));
        show("portfolio", request, response);
    }

    private static BigDecimal sum(List<Holding> holdings, Function<Holding, BigDecimal> amount) {
        return holdings.stream().map(amount).reduce(Money.ZERO, BigDecimal::add);
    }
}
