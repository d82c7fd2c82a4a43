package org.middlemark.brokerage.web;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpSession;
import java.io.IOException;
import java.util.Set;
import org.middlemark.pages.Page;

/** Tells the pages who is logged in; from those that need a session, whoever has none is led to the welcome page. */
public class UserFilter extends HttpFilter {
    private static final Set<String> FOR_USERS =
            Set.of("/home", "/account", "/portfolio", "/quotes", "/buy", "/sell", "/logout");

    @Override
    protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        Object user = userOf(request);
        if (user == null && FOR_USERS.contains(Page.path(request))) {
            Page.redirect("/", response);
        } else {
            request.setAttribute(LogIn.USER, user);
            chain.doFilter(request, response);
        }
    }

    private static Object userOf(HttpServletRequest request) {
        try {
            HttpSession session = request.getSession(false);
            return session == null ? null : session.getAttribute(LogIn.USER);
        } catch (IllegalStateException ended) {
            return null; // another request of the same browser has just logged out
        }
    }
}
