package org.middlemark.brokerage.pages;

import jakarta.servlet.http.HttpSessionEvent;
import jakarta.servlet.http.HttpSessionListener;
import org.middlemark.brokerage.process.Statistics;
import org.middlemark.brokerage.settings.WebTier;
import org.springframework.stereotype.Component;

/** Counts the sessions that have not ended. */
@Component
@WebTier
class SessionCount implements HttpSessionListener {

    private final Statistics statistics;

    SessionCount(Statistics statistics) {
        this.statistics = statistics;
    }

    @Override
    public void sessionCreated(HttpSessionEvent event) {
        statistics.sessionBegun();
    }

    @Override
    public void sessionDestroyed(HttpSessionEvent event) {
        statistics.sessionEnded();
    }
}
