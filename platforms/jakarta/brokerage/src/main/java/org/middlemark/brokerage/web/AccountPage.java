package org.middlemark.brokerage.web;

import jakarta.inject.Inject;
import jakarta.servlet.ServletException;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.middlemark.brokerage.domain.Order;
import org.middlemark.brokerage.domain.Profile;
import org.middlemark.brokerage.services.BrokerageServices;
import org.middlemark.pages.Page;
import org.middlemark.refusals.Refusal;

/** Account, profile and recent orders; saves the profile. */
@WebServlet("/account")
public class AccountPage extends Page {
    private final ServicesInReach services;

    @Inject
    public AccountPage(ServicesInReach services) {
        this.services = services;
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        BrokerageServices called = services.services();
        boolean all = "all".equals(value(request, "orders"));
        request.setAttribute("all", all);
        request.setAttribute("account", called.getAccount(LogIn.user(request)));
        request.setAttribute("profile", called.getProfile(LogIn.user(request)));
        addOrders(request, called, all ? Order.MAX_ORDERS : Order.RECENT);
        show("account", request, response);
    }

    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        BrokerageServices called = services.services();
        Profile typed = typed(request, LogIn.user(request));
        try {
            called.updateProfile(typed, value(request, "password"));
            redirect("/account", response);
        } catch (Refusal refusal) {
            if (!refusal.code().isFailure()) {
                request.setAttribute("account", called.getAccount(LogIn.user(request)));
                request.setAttribute("profile", typed);
                addOrders(request, called, Order.RECENT);
            }
            showAgain(refusal, "account", request, response);
        }
    }

    /** The profile as it was typed. */
    static Profile typed(HttpServletRequest request, String userId) {
        return new Profile(userId, value(request, "full_name"), value(request, "address"), value(request, "email"),
                value(request, "credit_card"));
    }

    /** Alerts come last: a page that fails for another reason leaves them unseen. */
    private static void addOrders(HttpServletRequest request, BrokerageServices called, int limit) {
        request.setAttribute("orders", called.getOrders(LogIn.user(request), limit));
        request.setAttribute("alerts", called.getClosedOrders(LogIn.user(request)));
    }
}
