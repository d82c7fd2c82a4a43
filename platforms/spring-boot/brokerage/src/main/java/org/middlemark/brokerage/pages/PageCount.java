package org.middlemark.brokerage.pages;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.middlemark.brokerage.process.Statistics;
import org.middlemark.brokerage.settings.WebTier;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;

/** Counts the requests that the web tier answers. */
@Component
@WebTier
class PageCount extends OncePerRequestFilter {

    private final Statistics statistics;

    PageCount(Statistics statistics) {
        this.statistics = statistics;
    }

    @Override
    protected boolean shouldNotFilter(HttpServletRequest request) {
        String path = request.getRequestURI();
        return path.startsWith("/services/") || "/health".equals(path) || "/about".equals(path) || "/pools".equals(path);
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        int status = HttpStatus.INTERNAL_SERVER_ERROR.value(); // what Tomcat answers when an exception escapes
        try {
            chain.doFilter(request, response);
            status = response.getStatus();
        } finally {
            statistics.request(status);
        }
    }
}
