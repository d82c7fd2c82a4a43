package org.middlemark.pages;

import jakarta.inject.Inject;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.middlemark.life.Application;

/** Hides the addresses of roles that this process does not carry. */
public class RolesFilter extends HttpFilter {
    private final Application application;

    @Inject
    public RolesFilter(Application application) {
        this.application = application;
    }

    @Override
    protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        String path = Page.path(request);
        if (Application.OF_EVERY_PROCESS.contains(path) || application.carries(path)) {
            chain.doFilter(request, response);
        } else {
            response.sendError(HttpServletResponse.SC_NOT_FOUND);
        }
    }
}
