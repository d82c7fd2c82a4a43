package org.middlemark.brokerage.web;

import jakarta.inject.Inject;
import jakarta.servlet.ServletException;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.time.Instant;
import org.middlemark.brokerage.services.Counters;
import org.middlemark.pages.Page;

/** What this process has done since it was started. */
@WebServlet("/statistics")
public class StatisticsPage extends Page {
    private final Counters counters;
    private final Traffic traffic;

    @Inject
    public StatisticsPage(Counters counters, Traffic traffic) {
        this.counters = counters;
        this.traffic = traffic;
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        Instant started = Instant.ofEpochMilli(ManagementFactory.getRuntimeMXBean().getStartTime());
        request.setAttribute("started", started);
        request.setAttribute("uptime", Duration.between(started, Instant.now()).toSeconds());
        request.setAttribute("threads", ManagementFactory.getThreadMXBean().getThreadCount());
        request.setAttribute("traffic", traffic);
        request.setAttribute("counters", counters);
        show("statistics", request, response);
    }
}
