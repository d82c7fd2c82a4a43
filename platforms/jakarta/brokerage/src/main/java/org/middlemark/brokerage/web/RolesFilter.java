package org.middlemark.brokerage.web;

import jakarta.inject.Inject;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Set;
import org.middlemark.brokerage.settings.Role;
import org.middlemark.brokerage.settings.Settings;

/** Hides the addresses of roles that this process does not carry. */
public class RolesFilter extends HttpFilter {
    /** What is asked of a process and not of a tier. */
    static final Set<String> OF_EVERY_PROCESS = Set.of("/health", "/about");

    private final Settings settings;

    @Inject
    public RolesFilter(Settings settings) {
        this.settings = settings;
    }

    @Override
    protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        String path = Page.path(request);
        Role role = path.startsWith("/services/") ? Role.SERVICES : Role.WEB;
        if (OF_EVERY_PROCESS.contains(path) || settings.roles().contains(role)) {
            chain.doFilter(request, response);
        } else {
            response.sendError(HttpServletResponse.SC_NOT_FOUND);
        }
    }
}
