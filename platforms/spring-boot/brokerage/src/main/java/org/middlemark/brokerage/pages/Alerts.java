package org.middlemark.brokerage.pages;

import org.middlemark.brokerage.operations.Brokerage;
import org.middlemark.brokerage.operations.Request;
import org.middlemark.brokerage.settings.WebTier;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.stereotype.Component;
import org.springframework.ui.Model;

/** The orders that have been completed and not yet been shown. */
@Component
@WebTier
class Alerts {

    private final Brokerage services;

    Alerts(@Qualifier("services") Brokerage services) {
        this.services = services;
    }

    /** Adds the user's alerts to a page. That marks them seen, so a page asks for them after everything else. */
    void add(String user, Model model) {
        model.addAttribute("alerts", services.getClosedOrders(new Request.User(user)).orders());
    }
}
