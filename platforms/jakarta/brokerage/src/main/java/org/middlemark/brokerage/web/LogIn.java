package org.middlemark.brokerage.web;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpSession;

/** Who is logged in. */
final class LogIn {
    /** The name of the logged in user's id, in the session and among the values for the template. */
    static final String USER = "user";

    private LogIn() {
    }

    /** Who is logged in, on a page that {@link UserFilter} lets nobody else see. */
    static String user(HttpServletRequest request) {
        return (String) request.getAttribute(USER);
    }

    /** Begins a session, with an id and a life of its own, and ends the one that the browser had. */
    static void begin(HttpServletRequest request, String userId) {
        end(request);
        request.getSession().setAttribute(USER, userId);
    }

    static void end(HttpServletRequest request) {
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
}
