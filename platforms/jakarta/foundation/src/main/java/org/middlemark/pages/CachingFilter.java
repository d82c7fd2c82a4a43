package org.middlemark.pages;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/** Lets browsers keep the style sheet and the images, and nothing else. */
public class CachingFilter extends HttpFilter {
    @Override
    protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        String path = Page.path(request);
        boolean isFile = "/style.css".equals(path) || path.startsWith("/images/");
        response.setHeader("Cache-Control", isFile ? "max-age=3600" : "no-store");
        chain.doFilter(request, response);
    }
}
