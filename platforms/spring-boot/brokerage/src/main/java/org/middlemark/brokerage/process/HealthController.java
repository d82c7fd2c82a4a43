package org.middlemark.brokerage.process;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.core.task.TaskRejectedException;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Tells whether the process can do its work. */
@RestController
class HealthController {

    private static final Duration LIMIT = Duration.ofSeconds(2);
    /** More checks than this under way at once means that earlier ones got no answer. */
    private static final int MAX_CHECKS = 8;

    private final List<HealthCheck> checks;
    private final Duration limit;
    private final SimpleAsyncTaskExecutor threads = new SimpleAsyncTaskExecutor("health-");

    @Autowired
    HealthController(List<HealthCheck> checks) {
        this(checks, LIMIT);
    }

    HealthController(List<HealthCheck> checks, Duration limit) {
        this.checks = checks;
        this.limit = limit;
        threads.setDaemon(true);
        threads.setConcurrencyLimit(MAX_CHECKS);
        threads.setRejectTasksWhenLimitReached(true);
    }

    @GetMapping(path = "/health", produces = "text/plain")
    ResponseEntity<String> health() throws InterruptedException {
        Future<?> answers = null;
        try {
            answers = threads.submit(() -> checks.forEach(HealthCheck::check));
            answers.get(limit.toMillis(), TimeUnit.MILLISECONDS);
            return ResponseEntity.ok("ok");
        } catch (ExecutionException | TaskRejectedException failed) {
            return ResponseEntity.status(503).body("The database or the services do not answer.");
        } catch (TimeoutException late) {
            answers.cancel(true);
            return ResponseEntity.status(503).body("The database or the services do not answer within " + limit.toSeconds() + " s.");
        }
    }
}
