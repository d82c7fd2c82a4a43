package org.middlemark.brokerage.web;

import jakarta.inject.Inject;
import jakarta.servlet.ServletException;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.List;
import org.middlemark.brokerage.domain.Account;
import org.middlemark.brokerage.domain.Holding;
import org.middlemark.brokerage.services.BrokerageServices;
import org.middlemark.pages.Page;
import org.middlemark.values.Money;

/** The account and the market at a glance. */
@WebServlet("/home")
public class HomePage extends Page {
    private final ServicesInReach services;
    private final Market market;

    @Inject
    public HomePage(ServicesInReach services, Market market) {
        this.services = services;
        this.market = market;
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        BrokerageServices called = services.services();
        Account account = called.getAccount(LogIn.user(request));
        List<Holding> holdings = called.getHoldings(LogIn.user(request));
        BigDecimal value = holdings.stream().map(Holding::value).reduce(Money.ZERO, BigDecimal::add);
        BigDecimal total = account.balance().add(value);
        request.setAttribute("account", account);
        request.setAttribute("holdings", holdings.size());
        request.setAttribute("value", value);
        request.setAttribute("total", total);
        request.setAttribute("gain", total.subtract(account.openBalance()));
        request.setAttribute("market", market.summary());
        request.setAttribute("alerts", called.getClosedOrders(LogIn.user(request)));
        show("home", request, response);
    }
}
