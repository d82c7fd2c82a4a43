package org.middlemark.brokerage.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class HealthControllerTest {

    private final CountDownLatch ended = new CountDownLatch(1);

    @Test
    void processWhoseChecksAnswerIsHealthy() throws InterruptedException {
        assertThat(new HealthController(List.of(() -> { })).health().getStatusCode().value()).isEqualTo(200);
    }

    @Test
    void checkThatFailsIsToldAtOnce() throws InterruptedException {
        HealthCheck failing = () -> {
            throw new IllegalStateException("away");
        };
        assertThat(new HealthController(List.of(failing)).health().getStatusCode().value()).isEqualTo(503);
    }

    @Test
    void checkThatDoesNotAnswerInTimeIsEnded() throws InterruptedException {
        HealthController health = new HealthController(List.of(this::waitForEver), Duration.ofMillis(20));
        assertThat(health.health().getStatusCode().value()).isEqualTo(503);
        assertThat(ended.await(10, TimeUnit.SECONDS)).isTrue();
    }

    private void waitForEver() {
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException cancelled) {
            ended.countDown();
        }
    }
}
