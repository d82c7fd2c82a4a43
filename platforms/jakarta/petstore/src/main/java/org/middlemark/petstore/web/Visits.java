package org.middlemark.petstore.web;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpSession;
import java.util.Optional;
import org.middlemark.petstore.domain.Customer;
import org.middlemark.petstore.domain.Visit;

/** The web session of a request. Another request of the same browser may sign out at any moment. */
final class Visits {
    /** The name of the visit in the session. */
    static final String VISIT = "visit";
    /** The name of the customer among the values for the template. */
    static final String CUSTOMER = "customer";

    private Visits() {
    }

    /** The visit; nothing without a session. */
    static Optional<Visit> find(HttpServletRequest request) {
        try {
            return Optional.ofNullable(request.getSession(false))
                    .map(session -> (Visit) session.getAttribute(VISIT));
        } catch (IllegalStateException ended) {
            return Optional.empty();
        }
    }

    /** The visit, which begins with a session of its own where there is none. */
    static Visit begun(HttpServletRequest request) {
        return find(request).orElseGet(() -> (Visit) request.getSession().getAttribute(VISIT));
    }

    /** Has somebody sign in: the session gets a new id and keeps its cart. */
    static Visit signIn(HttpServletRequest request, Customer customer) {
        Visit visit = begun(request);
        visit.signIn(customer);
        if (!request.getSession().isNew()) {
            request.changeSessionId();
        }
        return visit;
    }

    /** Ends the session. */
    static void signOut(HttpServletRequest request) {
        try {
            HttpSession session = request.getSession(false);
            if (session != null) {
                session.invalidate();
            }
        } catch (IllegalStateException ended) {
            // another request of the same browser has just signed out
        }
        request.removeAttribute(CUSTOMER);
    }
}
