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
import org.middlemark.brokerage.services.ServersPool;
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
    @Inject
    private ServersPool pool;

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
        // Where the server does not say: the limit, and one connection for each operation under way.
        int connections = settings.hasServices() ? pool.size().orElse(settings.databasePool()) : 0;
        int inUse = Math.min(connections, pool.inUse().orElse(counters.asking()));
        visit.with("started", Instant.ofEpochMilli(started))
                .with("uptime", (System.currentTimeMillis() - started) / MILLISECONDS).with("memory", bytes / MEBIBYTE)
                .with("threads", ManagementFactory.getThreadMXBean().getThreadCount())
                .with("connections", connections).with("connectionsInUse", inUse)
                .with("requests", requests.sum()).with("requestErrors", requestErrors.sum())
                .with("sessions", sessions.count())
                .with("counters", counters).show("statistics");
    }
}
