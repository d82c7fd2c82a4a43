package org.middlemark.brokerage.pages;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpSession;
import org.middlemark.brokerage.settings.Settings;
import org.middlemark.brokerage.settings.WebTier;
import org.springframework.stereotype.Component;

/** Who is logged in, as the session of the servlet container knows it. */
@Component
@WebTier
class UserSession {

    /** The attribute of the session, and of every page's model, with the id of the user who is logged in. */
    static final String USER = "user";

    private final int seconds;

    UserSession(Settings settings) {
        seconds = settings.web().sessionSeconds();
    }

    /** Begins a new session; the one that the browser had ends. */
    void begin(HttpServletRequest request, String userId) {
        end(request);
        HttpSession session = request.getSession();
        session.setMaxInactiveInterval(seconds);
        session.setAttribute(USER, userId);
    }

    void end(HttpServletRequest request) {
        HttpSession session = request.getSession(false);
        if (session != null) {
            session.invalidate();
        }
    }

    /** Returns the id of the user who is logged in, or null. */
    static String user(HttpServletRequest request) {
        HttpSession session = request.getSession(false);
        try {
            return session == null ? null : (String) session.getAttribute(USER);
        } catch (IllegalStateException ended) {
            return null; // another request of the same browser has just logged out
        }
    }
}
