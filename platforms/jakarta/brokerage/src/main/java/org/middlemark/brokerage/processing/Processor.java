package org.middlemark.brokerage.processing;

import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import jakarta.annotation.Resource;
import jakarta.ejb.ConcurrencyManagement;
import jakarta.ejb.ConcurrencyManagementType;
import jakarta.ejb.Singleton;
import jakarta.ejb.Startup;
import jakarta.ejb.TransactionAttribute;
import jakarta.ejb.TransactionAttributeType;
import jakarta.enterprise.concurrent.ManagedScheduledExecutorService;
import jakarta.enterprise.concurrent.ManagedThreadFactory;
import jakarta.enterprise.event.Event;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.middlemark.brokerage.services.ConnectionLost;
import org.middlemark.brokerage.services.Counters;
import org.middlemark.brokerage.services.Failures;
import org.middlemark.brokerage.services.SettingsInEffect;
import org.middlemark.brokerage.settings.Role;
import org.middlemark.brokerage.settings.Settings;
import org.middlemark.brokerage.store.Deadline;

/** The role processor: looks for queued orders when it is notified and from time to time, and completes them. */
@Singleton
@Startup
@ConcurrencyManagement(ConcurrencyManagementType.BEAN)
@TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
public class Processor {
    private static final Logger LOG = Logger.getLogger(Processor.class.getName());
    private static final int FINISH_SECONDS = 10;
    private static final int LONGEST_PAUSE_MILLISECONDS = 50;

    @Inject
    private Settings settings;
    @Inject
    private SettingsInEffect inEffect;
    @Inject
    private Counters counters;
    @Inject
    private Event<ConnectionLost> lost;
    @Inject
    private OrderCompletion completion;
    @Resource
    private ManagedScheduledExecutorService executor;
    @Resource
    private ManagedThreadFactory threads;
    private FailedOrders failed;
    private Looking looking;
    private Notifications notifications;
    private ScheduledFuture<?> clock;

    @PostConstruct
    void begin() {
        beginAsProcessor();
    }

    public void changed(@Observes SettingsInEffect.Changeable event) {
        beginAsProcessor();
    }

    private synchronized void beginAsProcessor() {
        if (looking != null || !inEffect.roles().contains(Role.PROCESSOR)) {
            return;
        }
        Settings.Processor processor = settings.processor();
        failed = new FailedOrders(TimeUnit.SECONDS.toNanos(processor.seconds()));
        looking = new Looking(executor, Math.min(processor.concurrency(), settings.databasePool()), this::look);
        clock = executor.scheduleAtFixedRate(looking::wake, 0, processor.seconds(), TimeUnit.SECONDS);
        notifications = new Notifications(settings.database().orElseThrow(), looking::wake);
        threads.newThread(notifications).start();
    }

    @PreDestroy
    synchronized void end() {
        if (looking != null) {
            clock.cancel(false);
            notifications.close();
            looking.stop(FINISH_SECONDS);
        }
    }

    /** One transaction, repeated until it goes well; true when there may be more messages. */
    private boolean look() {
        int most = settings.processor().batch();
        Collection<Long> except = failed.leftAlone();
        try {
            return complete(most, except);
        } catch (CannotComplete failure) {
            leaveAlone(failure);
            return true;
        } catch (RuntimeException failure) {
            if (CannotComplete.isCurable(failure)) {
                return again(failure);
            }
            return leaveUnreadable(most, except, failure);
        }
    }

    private boolean complete(int most, Collection<Long> except) {
        List<Long> completed = Deadline.within(limit(), () -> completion.complete(most, except));
        completed.forEach(orderId -> counters.completed());
        failed.completed(completed);
        return completed.size() == most;
    }

    private Duration limit() {
        return Duration.ofSeconds(settings.processor().timeoutSeconds());
    }

    private void leaveAlone(CannotComplete failure) {
        if (failed.add(failure.orderId())) {
            LOG.log(Level.WARNING, "{0}; it stays in the queue", failure.getMessage().lines().findFirst().orElse(""));
        }
    }

    private boolean leaveUnreadable(int most, Collection<Long> except, RuntimeException failure) {
        try {
            Optional<CannotComplete> unreadable = Deadline.within(limit(), () -> completion.unreadable(most, except));
            unreadable.ifPresent(this::leaveAlone);
            if (unreadable.isPresent()) {
                return true;
            }
        } catch (RuntimeException worse) {
            failure.addSuppressed(worse);
        }
        LOG.log(Level.SEVERE, "looking for queued orders failed", failure);
        return false;
    }

    private boolean again(RuntimeException failure) {
        if (!Failures.isRepeatable(failure)) {
            LOG.log(Level.WARNING, "completing queued orders is repeated: {0}", failure.toString());
            if (Failures.isConnectionLost(failure)) {
                lost.fire(new ConnectionLost());
            }
        }
        try {
            Thread.sleep(ThreadLocalRandom.current().nextInt(1, LONGEST_PAUSE_MILLISECONDS));
            return true;
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
