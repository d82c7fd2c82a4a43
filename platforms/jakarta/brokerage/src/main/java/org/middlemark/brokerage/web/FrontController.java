package org.middlemark.brokerage.web;

import jakarta.inject.Inject;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.annotation.WebFilter;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.middlemark.brokerage.domain.Code;
import org.middlemark.brokerage.domain.Refusal;
import org.middlemark.brokerage.services.Failures;
import org.middlemark.brokerage.settings.Role;
import org.middlemark.brokerage.settings.Settings;

/**
 * Leads every request to what answers it. It looks at the address as it was sent, which the container's own mapping
 * does not: there an address may be cleaned or completed.
 */
@WebFilter("/*")
public class FrontController extends HttpFilter {
    private static final Logger LOG = Logger.getLogger(FrontController.class.getName());
    private static final Map<Integer, String> REASONS = Map.of(400, "Bad Request", 403, "Forbidden", 404, "Not Found",
            405, "Method Not Allowed", 409, "Conflict", 500, "Internal Server Error", 503, "Service Unavailable");

    @Inject
    private Settings settings;
    @Inject
    private Site site;
    @Inject
    private Files files;
    @Inject
    private Sessions sessions;
    @Inject
    private StatisticsPage statistics;

    @Override
    protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        String path = path(request);
        boolean ofServices = settings.offersServices() && path.startsWith("/services/");
        if (ofServices || "/health".equals(path) || "/about".equals(path)) {
            chain.doFilter(request, response);
        } else if (settings.roles().contains(Role.WEB)) {
            page(path, request, response);
            statistics.answered(response.getStatus());
        } else {
            response.setStatus(HttpServletResponse.SC_NOT_FOUND);
        }
    }

    private void page(String path, HttpServletRequest request, HttpServletResponse response)
            throws IOException, ServletException {
        Visit visit = new Visit(request, response, sessions);
        try {
            if (Files.TYPES.containsKey(path)) {
                file(path, visit, request, response);
            } else {
                page(path, visit, request.getMethod());
            }
        } catch (RuntimeException failure) {
            Refusal refusal = Failures.refusal(failure);
            if (refusal != failure) {
                LOG.log(Level.WARNING, path, failure);
            }
            error(visit, refusal.code().httpStatus(), refusal.getMessage());
        }
    }

    private void page(String path, Visit visit, String method) throws IOException, ServletException {
        Optional<Address> address = site.address(path);
        if (address.isEmpty()) {
            error(visit, Code.UNKNOWN_OPERATION.httpStatus(), "There is no page " + path + ".");
            return;
        }
        Optional<Page> page = address.get().page(method);
        if (page.isEmpty()) {
            notAllowed(visit, address.get().methods(), path, method);
            return;
        }
        visit.readForm();
        if (address.get().needsSession() && visit.user().isEmpty()) {
            visit.redirect("/");
            return;
        }
        page.get().answer(visit);
    }

    private void file(String path, Visit visit, HttpServletRequest request, HttpServletResponse response)
            throws IOException, ServletException {
        String method = request.getMethod();
        if ("GET".equals(method) || "HEAD".equals(method)) {
            files.send(path, response);
        } else {
            notAllowed(visit, "GET, HEAD", path, method);
        }
    }

    private static void notAllowed(Visit visit, String methods, String path, String method)
            throws IOException, ServletException {
        visit.allow(methods);
        error(visit, HttpServletResponse.SC_METHOD_NOT_ALLOWED, path + " does not answer " + method + ".");
    }

    private static void error(Visit visit, int status, String message) throws IOException, ServletException {
        visit.with("heading", status + " " + REASONS.get(status)).with("message", message).show(status, "error");
    }

    /** The address as it was sent, percent-decoded; undecoded when that cannot be done, which no page's address is. */
    private static String path(HttpServletRequest request) {
        try {
            return Form.decode(request.getRequestURI());
        } catch (Refusal malformed) {
            return request.getRequestURI();
        }
    }
}
