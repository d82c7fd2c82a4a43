package org.middlemark.brokerage.web;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import java.time.Duration;
import org.middlemark.brokerage.domain.MarketSummary;
import org.middlemark.brokerage.services.SettingsInEffect;

/** The market summary, shown again to everybody until it is too old. */
@ApplicationScoped
public class Market {
    @Inject
    private ServicesInReach services;
    @Inject
    private SettingsInEffect settings;
    private volatile Taken taken;

    private record Taken(MarketSummary summary, long nanoTime) {
    }

    MarketSummary summary() {
        int seconds = settings.now().marketSummarySeconds();
        if (seconds == 0) {
            return services.services().getMarketSummary();
        }
        Taken last = taken;
        return isYoung(last, seconds) ? last.summary() : again(seconds);
    }

    /** Of those who need a new one at the same moment, one asks and the others wait for it. */
    private synchronized MarketSummary again(int seconds) {
        if (!isYoung(taken, seconds)) {
            long now = System.nanoTime();
            taken = new Taken(services.services().getMarketSummary(), now);
        }
        return taken.summary();
    }

    synchronized void forget(@Observes SettingsInEffect.Changeable changed) {
        taken = null;
    }

    private static boolean isYoung(Taken taken, int seconds) {
        return taken != null && System.nanoTime() - taken.nanoTime() < Duration.ofSeconds(seconds).toNanos();
    }
}
