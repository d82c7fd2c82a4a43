package org.middlemark.brokerage.life;

import jakarta.inject.Inject;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Optional;

/** Answers {@code ok}, or 503 and the reason. */
@WebServlet("/health")
public class HealthServlet extends HttpServlet {
    @Inject
    private Health health;

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        Optional<String> trouble = health.trouble();
        response.setStatus(trouble.isPresent() ? HttpServletResponse.SC_SERVICE_UNAVAILABLE
                : HttpServletResponse.SC_OK);
        response.setContentType("text/plain; charset=utf-8");
        response.getWriter().print(trouble.orElse("ok"));
    }
}
