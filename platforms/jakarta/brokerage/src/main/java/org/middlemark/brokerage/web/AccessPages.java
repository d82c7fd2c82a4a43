package org.middlemark.brokerage.web;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.servlet.ServletException;
import java.io.IOException;
import java.math.BigDecimal;
import org.middlemark.brokerage.domain.Account;
import org.middlemark.brokerage.domain.Limits;
import org.middlemark.brokerage.domain.Money;
import org.middlemark.brokerage.domain.Profile;
import org.middlemark.brokerage.domain.Refusal;
import org.middlemark.brokerage.domain.Registration;

/** Welcome, login, logout and registration. */
@ApplicationScoped
public class AccessPages {
    private static final String[] TYPED = {"user_id", "full_name", "address", "email", "credit_card", "open_balance"};

    @Inject
    private ServicesInReach services;

    void welcome(Visit visit) throws IOException, ServletException {
        visit.show("welcome");
    }

    void login(Visit visit) throws IOException, ServletException {
        String userId = visit.value("user_id");
        Account account;
        try {
            account = services.services().login(userId, visit.value("password"));
        } catch (Refusal refusal) {
            showAgain(visit.with("typedUserId", userId), refusal, "welcome");
            return;
        }
        visit.logIn(account.userId());
        visit.redirect("/home");
    }

    /** The session ends also when that cannot be counted. */
    void logout(Visit visit) throws IOException, ServletException {
        String userId = visit.userId();
        visit.logOut();
        services.services().logout(userId);
        visit.with("message", "User " + userId + " has logged out.").show("welcome");
    }

    void registration(Visit visit) throws IOException, ServletException {
        visit.show("register");
    }

    void register(Visit visit) throws IOException, ServletException {
        Account account;
        try {
            account = services.services().register(typed(visit));
        } catch (Refusal refusal) {
            for (String name : TYPED) {
                visit.with(name, visit.value(name));
            }
            showAgain(visit, refusal, "register");
            return;
        }
        visit.logIn(account.userId());
        visit.redirect("/home");
    }

    /** The form again with the message; what is not the user's fault is the error page. */
    static void showAgain(Visit visit, Refusal refusal, String page) throws IOException, ServletException {
        if (refusal.code().isFailure()) {
            throw refusal;
        }
        visit.with("message", refusal.getMessage()).show(refusal.code().httpStatus(), page);
    }

    private static Registration typed(Visit visit) {
        String password = visit.value("password");
        if (!password.equals(visit.value("confirm_password"))) {
            throw Refusal.invalid("The two passwords differ.");
        }
        Profile profile = AccountPage.typed(visit, visit.value("user_id"));
        Limits.registrationButBalance(profile, password);
        BigDecimal openBalance = Money.typed(visit.value("open_balance")).orElseThrow(Limits::openBalance);
        return new Registration(profile, password, openBalance);
    }
}
