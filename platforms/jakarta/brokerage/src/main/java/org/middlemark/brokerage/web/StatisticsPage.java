package org.middlemark.brokerage.web;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.servlet.ServletException;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.time.Instant;
import java.util.concurrent.atomic.LongAdder;
import org.middlemark.brokerage.services.Counters;
import org.middlemark.brokerage.settings.Settings;

/** What this process has done since it was started. */
@ApplicationScoped
public class StatisticsPage {
    private static final int MEBIBYTE = 1024 * 1024;
    private static final int MILLISECONDS = 1000;
    private static final int FIRST_FAILURE = 500;

    private final LongAdder requests = new LongAdder();
    private final LongAdder requestErrors = new LongAdder();
    @Inject
    private Counters counters;
    @Inject
    private Sessions sessions;
    @Inject
    private Settings settings;

    /** Counts a request of the web tier that has been answered. */
    void answered(int status) {
        requests.increment();
        if (status >= FIRST_FAILURE) {
            requestErrors.increment();
        }
    }

    void show(Visit visit) throws IOException, ServletException {
        long started = ManagementFactory.getRuntimeMXBean().getStartTime();
        MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
        long bytes = memory.getHeapMemoryUsage().getCommitted() + memory.getNonHeapMemoryUsage().getCommitted();
        int connections = settings.hasServices() ? settings.databasePool() : 0;
        visit.with("started", Instant.ofEpochMilli(started))
                .with("uptime", (System.currentTimeMillis() - started) / MILLISECONDS).with("memory", bytes / MEBIBYTE)
                .with("threads", ManagementFactory.getThreadMXBean().getThreadCount())
                .with("connections", connections).with("connectionsInUse", Math.min(connections, counters.asking()))
                .with("requests", requests.sum()).with("requestErrors", requestErrors.sum())
                .with("sessions", sessions.count())
                .with("counters", counters).show("statistics");
    }
}
