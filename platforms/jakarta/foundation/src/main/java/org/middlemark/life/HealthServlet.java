package org.middlemark.life;

import jakarta.annotation.Resource;
import jakarta.enterprise.concurrent.ManagedExecutorService;
import jakarta.inject.Inject;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Answers {@code ok}, or 503 and the reason. */
@WebServlet("/health")
public class HealthServlet extends HttpServlet {
    private static final int SECONDS = 2;

    @Inject
    private Health health;
    @Resource
    private ManagedExecutorService executor;

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        Optional<String> trouble = trouble();
        response.setStatus(trouble.isPresent() ? HttpServletResponse.SC_SERVICE_UNAVAILABLE
                : HttpServletResponse.SC_OK);
        response.setContentType("text/plain; charset=utf-8");
        response.getWriter().print(trouble.orElse("ok"));
    }

    /** Not to know within two seconds is trouble, too. */
    private Optional<String> trouble() {
        Future<Optional<String>> looking = executor.submit(() -> health.trouble(SECONDS));
        try {
            return looking.get(SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException slow) {
            looking.cancel(true);
            return Optional.of("a database or the services did not answer within " + SECONDS + " s");
        } catch (ExecutionException failure) {
            return Optional.of(String.valueOf(failure.getCause()));
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
            return Optional.of("the process is stopping");
        }
    }
}
