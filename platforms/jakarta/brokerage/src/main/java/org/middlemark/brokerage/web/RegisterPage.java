package org.middlemark.brokerage.web;

import jakarta.inject.Inject;
import jakarta.servlet.ServletException;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.math.BigDecimal;
import org.middlemark.brokerage.domain.Limits;
import org.middlemark.brokerage.domain.Profile;
import org.middlemark.brokerage.domain.Registration;
import org.middlemark.pages.Page;
import org.middlemark.refusals.Refusal;
import org.middlemark.values.Money;

/** The form to register, and what it does. */
@WebServlet("/register")
public class RegisterPage extends Page {
    private static final String[] TYPED = {"user_id", "full_name", "address", "email", "credit_card", "open_balance"};

    private final ServicesInReach services;

    @Inject
    public RegisterPage(ServicesInReach services) {
        this.services = services;
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        show("register", request, response);
    }

    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        try {
            LogIn.begin(request, services.services().register(typed(request)).userId());
            redirect("/home", response);
        } catch (Refusal refusal) {
            for (String name : TYPED) {
                request.setAttribute(name, value(request, name));
            }
            showAgain(refusal, "register", request, response);
        }
    }

    private static Registration typed(HttpServletRequest request) {
        String password = value(request, "password");
        if (!password.equals(value(request, "confirm_password"))) {
            throw Refusal.invalid("The two passwords differ.");
        }
        Profile profile = AccountPage.typed(request, value(request, "user_id"));
        BigDecimal openBalance = Money.typed(value(request, "open_balance")).orElseThrow(Limits::openBalance);
        return new Registration(profile, password, openBalance);
    }
}
