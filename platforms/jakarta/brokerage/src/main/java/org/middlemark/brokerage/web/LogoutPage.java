package org.middlemark.brokerage.web;

import jakarta.inject.Inject;
import jakarta.servlet.ServletException;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.middlemark.pages.Page;

/** Ends the session, also when that cannot be counted. */
@WebServlet("/logout")
public class LogoutPage extends Page {
    private final ServicesInReach services;

    @Inject
    public LogoutPage(ServicesInReach services) {
        this.services = services;
    }

    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        String userId = LogIn.user(request);
        LogIn.end(request);
        services.services().logout(userId);
        request.setAttribute(MESSAGE, "User " + userId + " has logged out.");
        show("welcome", request, response);
    }
}
