package org.middlemark.brokerage.pages;

import java.math.BigDecimal;
import java.util.List;
import java.util.function.Function;
import org.middlemark.brokerage.operations.Brokerage;
import org.middlemark.brokerage.operations.Request;
import org.middlemark.brokerage.orders.Holding;
import org.middlemark.brokerage.settings.WebTier;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.SessionAttribute;

/** The portfolio: all holdings with their value now. */
@Controller
@WebTier
class PortfolioController {

    private final Brokerage services;
    private final Alerts alerts;

    PortfolioController(@Qualifier("services") Brokerage services, Alerts alerts) {
        this.services = services;
        this.alerts = alerts;
    }

    @GetMapping("/portfolio")
    String portfolio(@SessionAttribute(UserSession.USER) String user, Model model) {
        List<Row> rows = services.getHoldings(new Request.User(user)).holdings().stream().map(Row::of).toList();
        model.addAttribute("rows", rows);
        model.addAttribute("total", Worth.of(sum(rows, Worth::cost), sum(rows, Worth::value)));
        alerts.add(user, model);
        return "portfolio";
    }

    private static BigDecimal sum(List<Row> rows, Function<Worth, BigDecimal> amount) {
        return rows.stream().map(Row::worth).map(amount).reduce(BigDecimal.ZERO, BigDecimal::add);
    }

    /** A holding in the table. */
    record Row(Holding holding, Worth worth) {

        static Row of(Holding holding) {
            BigDecimal quantity = BigDecimal.valueOf(holding.quantity());
            return new Row(holding, Worth.of(quantity.multiply(holding.purchasePrice()), quantity.multiply(holding.price())));
        }
    }

    /** What something has cost, and what it is worth now. */
    record Worth(BigDecimal cost, BigDecimal value, Change gain) {

        static Worth of(BigDecimal cost, BigDecimal value) {
            return new Worth(cost, value, Change.of(value.subtract(cost)));
        }
    }
}
