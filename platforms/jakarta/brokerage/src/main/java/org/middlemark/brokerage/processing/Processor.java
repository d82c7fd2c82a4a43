package org.middlemark.brokerage.processing;

import jakarta.annotation.PreDestroy;
import jakarta.annotation.Resource;
import jakarta.enterprise.concurrent.ManagedScheduledExecutorService;
import jakarta.enterprise.concurrent.ManagedThreadFactory;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.event.Startup;
import jakarta.inject.Inject;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.middlemark.brokerage.services.SettingsInEffect;
import org.middlemark.brokerage.settings.Role;
import org.middlemark.brokerage.settings.Settings;

/** The role processor: has somebody look for queued orders when it is notified, and from time to time. */
@ApplicationScoped
public class Processor {
    private static final int FINISH_SECONDS = 10;

    @Inject
    private Settings settings;
    @Inject
    private SettingsInEffect inEffect;
    @Inject
    private QueuedOrders orders;
    @Inject
    private Notifications notifications;
    @Resource
    private ManagedScheduledExecutorService scheduler;
    @Resource
    private ManagedThreadFactory threads;
    private ThreadPoolExecutor lookers;
    private ScheduledFuture<?> clock;

    void begin(@Observes Startup event) {
        beginAsProcessor();
    }

    void changed(@Observes SettingsInEffect.Changeable event) {
        beginAsProcessor();
    }

    @PreDestroy
    void end() {
        if (lookers == null) {
            return;
        }
        clock.cancel(false);
        notifications.end();
        lookers.shutdown();
        try {
            lookers.awaitTermination(FINISH_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException hurry) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized void beginAsProcessor() {
        if (lookers != null || !inEffect.roles().contains(Role.PROCESSOR)) {
            return;
        }
        int concurrency = Math.min(settings.processor().concurrency(), settings.databasePool());
        // One look that waits for its turn serves all who wake somebody meanwhile.
        lookers = new ThreadPoolExecutor(concurrency, concurrency, 0, TimeUnit.SECONDS, new ArrayBlockingQueue<>(1),
                threads, new ThreadPoolExecutor.DiscardPolicy());
        clock = scheduler.scheduleAtFixedRate(this::wake, 0, settings.processor().seconds(), TimeUnit.SECONDS);
        threads.newThread(() -> notifications.listen(this::wake)).start();
    }

    private void wake() {
        lookers.execute(this::lookAround);
    }

    private void lookAround() {
        while (!lookers.isShutdown() && orders.look()) {
            wake(); // whoever is free helps
        }
    }
}
