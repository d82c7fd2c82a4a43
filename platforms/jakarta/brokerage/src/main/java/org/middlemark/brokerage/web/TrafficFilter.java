package org.middlemark.brokerage.web;

import jakarta.inject.Inject;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.FilterChain;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.middlemark.life.Application;
import org.middlemark.pages.Page;

/** Counts the requests for pages, and the error pages. */
public class TrafficFilter extends HttpFilter {
    private static final int FIRST_FAILURE = 500;

    private final Traffic traffic;

    @Inject
    public TrafficFilter(Traffic traffic) {
        this.traffic = traffic;
    }

    /** What the page itself shows is what came before it. */
    @Override
    protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        Runnable counted = counted(request);
        try {
            chain.doFilter(request, response);
        } finally {
            counted.run();
        }
    }

    private Runnable counted(HttpServletRequest request) {
        if (request.getDispatcherType() == DispatcherType.ERROR) {
            int status = (Integer) request.getAttribute(RequestDispatcher.ERROR_STATUS_CODE);
            String failed = (String) request.getAttribute(RequestDispatcher.ERROR_REQUEST_URI);
            return status >= FIRST_FAILURE && isOfPages(failed) ? traffic::requestFailed : () -> { };
        }
        return isOfPages(Page.path(request)) ? traffic::requestAnswered : () -> { };
    }

    private static boolean isOfPages(String path) {
        return !path.startsWith("/services/") && !Application.OF_EVERY_PROCESS.contains(path);
    }
}
