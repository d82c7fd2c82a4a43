package org.middlemark.brokerage.web;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpSession;
import java.io.IOException;
import java.util.Objects;
import org.middlemark.brokerage.domain.Refusal;

/** What the servlets of the pages have in common. A refusal that one of them lets out is answered by the error page. */
abstract class Page extends HttpServlet {
    /** The name of the logged in user's id, in the session and among the values for the template. */
    static final String USER = "user";
    /** The name of the message among the values for the template. */
    static final String MESSAGE = "message";

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        try {
            super.service(request, response);
        } catch (Refusal refusal) {
            request.setAttribute(MESSAGE, refusal.getMessage());
            response.sendError(refusal.code().httpStatus());
        }
    }

    /** The path of the address, decoded. */
    static String path(HttpServletRequest request) {
        return request.getServletPath() + Objects.requireNonNullElse(request.getPathInfo(), "");
    }

    /** A value of the form or of the query; the empty text when it is missing. Refused when they cannot be read. */
    static String value(HttpServletRequest request, String name) {
        try {
            return Objects.requireNonNullElse(request.getParameter(name), "");
        } catch (IllegalArgumentException malformed) {
            throw Refusal.invalid("The form cannot be read.");
        }
    }

    /** Who is logged in, on a page that {@link UserFilter} lets nobody else see. */
    static String user(HttpServletRequest request) {
        return (String) request.getAttribute(USER);
    }

    /** Begins a session, with an id and a life of its own, and ends the one that the browser had. */
    static void logIn(HttpServletRequest request, String userId) {
        logOut(request);
        request.getSession().setAttribute(USER, userId);
    }

    static void logOut(HttpServletRequest request) {
        try {
            HttpSession session = request.getSession(false);
            if (session != null) {
                session.invalidate();
            }
        } catch (IllegalStateException ended) {
            // another request of the same browser has just logged out
        }
        request.removeAttribute(USER);
    }

    /** Answers with the page of a template, whose values are the request's attributes. */
    static void show(String page, HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        request.getRequestDispatcher("/WEB-INF/pages/" + page + ".jsp").forward(request, response);
    }

    /** Answers with a form again and why it was refused; what is not the user's fault is the error page. */
    static void showAgain(Refusal refusal, String page, HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        if (refusal.code().isFailure()) {
            throw refusal;
        }
        response.setStatus(refusal.code().httpStatus());
        request.setAttribute(MESSAGE, refusal.getMessage());
        show(page, request, response);
    }

    /** Sends the browser to another page. */
    static void redirect(String path, HttpServletResponse response) {
        response.setStatus(HttpServletResponse.SC_SEE_OTHER);
        response.setHeader("Location", path);
    }
}
