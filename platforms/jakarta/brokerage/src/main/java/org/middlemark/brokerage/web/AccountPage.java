package org.middlemark.brokerage.web;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.servlet.ServletException;
import java.io.IOException;
import org.middlemark.brokerage.domain.Order;
import org.middlemark.brokerage.domain.Profile;
import org.middlemark.brokerage.domain.Refusal;
import org.middlemark.brokerage.services.BrokerageServices;

/** Account, profile and recent orders. */
@ApplicationScoped
public class AccountPage {
    @Inject
    private ServicesInReach services;

    void show(Visit visit) throws IOException, ServletException {
        BrokerageServices called = services.services();
        boolean all = "all".equals(visit.value("orders"));
        visit.with("account", called.getAccount(visit.userId())).with("profile", called.getProfile(visit.userId()));
        showOrders(visit.with("all", all), called, all ? Order.MOST : Order.RECENT);
        visit.show("account");
    }

    void save(Visit visit) throws IOException, ServletException {
        Profile typed = typed(visit, visit.userId());
        BrokerageServices called = services.services();
        try {
            called.updateProfile(typed, visit.value("password"));
        } catch (Refusal refusal) {
            if (!refusal.code().isFailure()) {
                visit.with("account", called.getAccount(visit.userId())).with("profile", typed).with("all", false);
                showOrders(visit, called, Order.RECENT);
            }
            AccessPages.showAgain(visit, refusal, "account");
            return;
        }
        visit.redirect("/account");
    }

    /** The profile as it was typed. */
    static Profile typed(Visit visit, String userId) {
        return new Profile(userId, visit.value("full_name"), visit.value("address"), visit.value("email"),
                visit.value("credit_card"));
    }

    /** Alerts come last: a page that fails for another reason leaves them unseen. */
    private static void showOrders(Visit visit, BrokerageServices called, int limit) {
        visit.with("orders", called.getOrders(visit.userId(), limit));
        visit.with("alerts", called.getClosedOrders(visit.userId()));
    }
}
