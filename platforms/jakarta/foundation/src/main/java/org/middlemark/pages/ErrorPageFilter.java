package org.middlemark.pages;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/**
 * Shows the error page whatever the method of the request was.
 *
 * <p>The page is a JSP, and a server need not let a JSP answer anything but GET, POST and HEAD: Open Liberty does,
 * WildFly refuses, and drops the connection instead of the page.
 */
public class ErrorPageFilter extends HttpFilter {
    @Override
    protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        chain.doFilter(new AsGet(request), response);
    }

    private static final class AsGet extends HttpServletRequestWrapper {
        AsGet(HttpServletRequest request) {
            super(request);
        }

        @Override
        public String getMethod() {
            return "HEAD".equals(super.getMethod()) ? "HEAD" : "GET";
        }
    }
}
