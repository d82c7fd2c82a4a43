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
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
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
    void whoeverIsWokenJustWhenTheLastIsDoneLooksAgain() throws InterruptedException {
        Semaphore goOn = new Semaphore(0);
        Semaphore begun = new Semaphore(0);
        AtomicReference<Thread> worker = new AtomicReference<>();
        Semaphore free = new Semaphore(1) {
            @Override
            public boolean tryAcquire() {
                boolean acquired = super.tryAcquire();
                if (!acquired
                        && goOn.availablePermits() == 0) { // between this refusal and what the caller does about it
                    goOn.release(2);
                    joined(worker.get());
                }
                return acquired;
            }
        };
        Looking looking = new Looking(task -> {
            worker.set(new Thread(task));
            worker.get().start();
        }, 1, () -> {
            begun.release();
            goOn.acquireUninterruptibly();
            return false;
        }, free);
        looking.wake();
        assertTrue(begun.tryAcquire(PATIENCE_SECONDS, TimeUnit.SECONDS));
        looking.wake();
        assertTrue(begun.tryAcquire(PATIENCE_SECONDS, TimeUnit.SECONDS));
        looking.stop(PATIENCE_SECONDS);
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
        FailedOrders forgiving = new FailedOrders(0, () -> 0);
        assertTrue(forgiving.add(7));
        assertTrue(forgiving.leftAlone().isEmpty());
        assertFalse(forgiving.add(7));
    }

    @Test
    void anOrderThatDoesNotFailAgainIsForgottenAfterTenPauses() {
        AtomicLong clock = new AtomicLong(Long.MAX_VALUE); // such a clock may go past the greatest number
        FailedOrders failed = new FailedOrders(5, clock::get);
        assertTrue(failed.add(7));
        clock.addAndGet(5 + 10 * 5);
        assertTrue(failed.leftAlone().isEmpty());
        assertFalse(failed.add(7));
        clock.addAndGet(5 + 10 * 5 + 1);
        assertTrue(failed.leftAlone().isEmpty());
        assertTrue(failed.add(7));
    }

    private static void joined(Thread thread) {
        try {
            thread.join(TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS));
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
        }
    }
}
