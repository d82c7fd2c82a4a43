package org.middlemark.brokerage.processing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LookingTest {
    private static final long PATIENCE_SECONDS = 60;

    private final ExecutorService executor = Executors.newCachedThreadPool();

    @AfterEach
    void stop() {
        executor.shutdownNow();
    }

    @Test
    void whoeverIsWokenWhileAllAreBusyLooksAgain() throws InterruptedException {
        Semaphore goOn = new Semaphore(0);
        Semaphore begun = new Semaphore(0);
        Looking looking = new Looking(executor, 1, () -> {
            begun.release();
            goOn.acquireUninterruptibly();
            return false;
        });
        looking.wake();
        assertTrue(begun.tryAcquire(PATIENCE_SECONDS, TimeUnit.SECONDS));
        looking.wake();
        looking.wake();
        goOn.release();
        assertTrue(begun.tryAcquire(PATIENCE_SECONDS, TimeUnit.SECONDS));
        goOn.release();
        looking.stop(PATIENCE_SECONDS);
        assertEquals(0, begun.availablePermits());
    }

    @Test
    void manyMessagesAreLookedForByAsManyAsMay() throws InterruptedException {
        AtomicInteger left = new AtomicInteger(3);
        CountDownLatch together = new CountDownLatch(3);
        Looking looking = new Looking(executor, 3, () -> {
            together.countDown();
            return left.decrementAndGet() > 0;
        });
        looking.wake();
        assertTrue(together.await(PATIENCE_SECONDS, TimeUnit.SECONDS));
    }

    @Test
    void nothingIsBegunAfterTheEnd() {
        AtomicInteger looks = new AtomicInteger();
        Looking looking = new Looking(executor, 2, () -> looks.incrementAndGet() < 0);
        looking.stop(PATIENCE_SECONDS);
        looking.wake();
        Looking refused = new Looking(executor, 2, () -> looks.incrementAndGet() < 0);
        executor.shutdown();
        refused.wake();
        refused.stop(PATIENCE_SECONDS);
        assertEquals(0, looks.get());
    }

    @Test
    void anOrderThatFailedIsLeftAloneForAWhileAndToldOnce() {
        FailedOrders failed = new FailedOrders(TimeUnit.HOURS.toNanos(1));
        assertTrue(failed.add(7));
        assertFalse(failed.add(7));
        assertEquals(List.of(7L), List.copyOf(failed.leftAlone()));
        failed.completed(List.of(7L));
        assertTrue(failed.leftAlone().isEmpty());
        FailedOrders forgiving = new FailedOrders(0);
        assertTrue(forgiving.add(7));
        assertTrue(forgiving.leftAlone().isEmpty());
        assertFalse(forgiving.add(7));
    }
}
