package org.middlemark.brokerage.web;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.servlet.ServletException;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.List;
import org.middlemark.brokerage.domain.Account;
import org.middlemark.brokerage.domain.Holding;
import org.middlemark.brokerage.domain.Money;
import org.middlemark.brokerage.services.BrokerageServices;

/** The account and the market at a glance. */
@ApplicationScoped
public class HomePage {
    @Inject
    private ServicesInReach services;
    @Inject
    private Market market;

    void show(Visit visit) throws IOException, ServletException {
        BrokerageServices called = services.services();
        Account account = called.getAccount(visit.userId());
        List<Holding> holdings = called.getHoldings(visit.userId());
        BigDecimal value = holdings.stream().map(Holding::value).reduce(Money.ZERO, BigDecimal::add);
        BigDecimal total = account.balance().add(value);
        visit.with("account", account).with("holdings", holdings.size()).with("value", value).with("total", total)
                .with("gain", total.subtract(account.openBalance())).with("market", market.summary())
                .with("alerts", called.getClosedOrders(visit.userId())).show("home");
    }
}
