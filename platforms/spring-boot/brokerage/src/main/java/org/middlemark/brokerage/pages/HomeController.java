package org.middlemark.brokerage.pages;

import java.math.BigDecimal;
import java.util.List;
import org.middlemark.brokerage.accounts.Account;
import org.middlemark.brokerage.operations.Brokerage;
import org.middlemark.brokerage.operations.Request;
import org.middlemark.brokerage.orders.Holding;
import org.middlemark.brokerage.quotes.MarketSummary;
import org.middlemark.brokerage.settings.WebTier;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.SessionAttribute;

/** The home page: the user's account and the market. */
@Controller
@WebTier
class HomeController {

    private final Brokerage services;
    private final Market market;
    private final Alerts alerts;

    HomeController(@Qualifier("services") Brokerage services, Market market, Alerts alerts) {
        this.services = services;
        this.market = market;
        this.alerts = alerts;
    }

    @GetMapping("/home")
    String home(@SessionAttribute(UserSession.USER) String user, Model model) {
        Account account = services.getAccount(new Request.User(user));
        List<Holding> holdings = services.getHoldings(new Request.User(user)).holdings();
        MarketSummary summary = market.summary();
        model.addAttribute("account", account);
        model.addAttribute("worth", Worth.of(account, holdings));
        model.addAttribute("summary", summary);
        model.addAttribute("indexChange", Change.of(summary.index().subtract(summary.openIndex())));
        model.addAttribute("gainers", QuoteRow.of(summary.gainers()));
        model.addAttribute("losers", QuoteRow.of(summary.losers()));
        alerts.add(user, model);
        return "home";
    }

    /** What an account and its holdings are worth. */
    record Worth(int holdings, BigDecimal value, BigDecimal total, Change gain) {

        static Worth of(Account account, List<Holding> holdings) {
            BigDecimal value = holdings.stream()
                    .map(holding -> holding.price().multiply(BigDecimal.valueOf(holding.quantity())))
                    .reduce(new BigDecimal("0.00"), BigDecimal::add);
            BigDecimal total = account.balance().add(value);
            return new Worth(holdings.size(), value, total, Change.of(total.subtract(account.openBalance())));
        }
    }
}
