package org.middlemark.brokerage.pages;

import org.middlemark.brokerage.operations.Brokerage;
import org.middlemark.brokerage.operations.Request;
import org.middlemark.brokerage.orders.Order;
import org.middlemark.brokerage.settings.WebTier;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.SessionAttribute;

/** Buying and selling, answered by the order's confirmation. */
@Controller
@WebTier
class OrderController {

    private final Brokerage services;

    OrderController(@Qualifier("services") Brokerage services) {
        this.services = services;
    }

    @PostMapping("/buy")
    String buy(@SessionAttribute(UserSession.USER) String user, @RequestParam(defaultValue = "") String symbol,
            @RequestParam(defaultValue = "") String quantity, Model model) {
        return confirmation(services.buy(new Request.Purchase(user, symbol, Typed.wholeNumber(quantity))), model);
    }

    @PostMapping("/sell")
    String sell(@SessionAttribute(UserSession.USER) String user,
            @RequestParam(name = "holding_id", defaultValue = "") String holdingId, Model model) {
        return confirmation(services.sell(new Request.UserHolding(user, Typed.wholeNumber(holdingId))), model);
    }

    private static String confirmation(Order order, Model model) {
        model.addAttribute("order", order);
        return "order";
    }
}
