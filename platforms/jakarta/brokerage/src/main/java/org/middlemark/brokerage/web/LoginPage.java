package org.middlemark.brokerage.web;

import jakarta.inject.Inject;
import jakarta.servlet.ServletException;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.middlemark.pages.Page;
import org.middlemark.refusals.Refusal;

/** Begins a session. */
@WebServlet("/login")
public class LoginPage extends Page {
    private final ServicesInReach services;

    @Inject
    public LoginPage(ServicesInReach services) {
        this.services = services;
    }

    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        String userId = value(request, "user_id");
        try {
            LogIn.begin(request, services.services().login(userId, value(request, "password")).userId());
            redirect("/home", response);
        } catch (Refusal refusal) {
            request.setAttribute("typedUserId", userId);
            showAgain(refusal, "welcome", request, response);
        }
    }
}
