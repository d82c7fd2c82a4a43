package org.middlemark.brokerage.process;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Tells whether the process can do its work. */
@RestController
class HealthController {

    private static final long SECONDS = 2;

    private final List<HealthCheck> checks;

    HealthController(List<HealthCheck> checks) {
        this.checks = checks;
    }

    @GetMapping(path = "/health", produces = "text/plain")
    ResponseEntity<String> health() throws InterruptedException {
        try {
            CompletableFuture.runAsync(() -> checks.forEach(HealthCheck::check)).get(SECONDS, TimeUnit.SECONDS);
            return ResponseEntity.ok("ok");
        } catch (ExecutionException failed) {
            return ResponseEntity.status(503).body("The database or the services do not answer.");
        } catch (TimeoutException late) {
            return ResponseEntity.status(503).body("The database or the services do not answer within " + SECONDS + " s.");
        }
    }
}
