package org.middlemark.brokerage.processing;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

/** Looks for messages on as many threads at once as are allowed, no less often than it is woken. */
final class Looking {
    private final Executor executor;
    private final int threads;
    private final BooleanSupplier look;
    private final Semaphore free;
    private final AtomicBoolean missed = new AtomicBoolean();
    private volatile boolean stopped;

    /** @param look one look; true when there may be more to find */
    Looking(Executor executor, int threads, BooleanSupplier look) {
        this(executor, threads, look, new Semaphore(threads));
    }

    Looking(Executor executor, int threads, BooleanSupplier look, Semaphore free) {
        this.executor = executor;
        this.threads = threads;
        this.look = look;
        this.free = free;
    }

    /** Makes somebody look from now on; at once if somebody is free, else when somebody is. */
    void wake() {
        if (stopped) {
            return;
        }
        if (!free.tryAcquire()) {
            missed.set(true);
            if (!free.tryAcquire()) { // the last of them may have been done before it could see that it was missed
                return;
            }
        }
        begin();
    }

    /** Begins no more looks and waits for those under way. */
    void stop(long seconds) {
        stopped = true;
        try {
            free.tryAcquire(threads, seconds, TimeUnit.SECONDS);
        } catch (InterruptedException hurry) {
            Thread.currentThread().interrupt();
        }
    }

    private void begin() {
        try {
            executor.execute(this::lookAround);
        } catch (RejectedExecutionException stopping) { // a server may stop its threads before its applications
            stopped = true;
            free.release();
        }
    }

    private void lookAround() {
        try {
            boolean more = true;
            while (more && !stopped) {
                missed.set(false);
                more = look.getAsBoolean();
                if (more) {
                    wake(); // whoever is free helps
                    continue;
                }
                more = missed.get();
            }
        } finally {
            free.release();
        }
        if (missed.get()) { // since the last look, when nobody was free
            wake();
        }
    }
}
