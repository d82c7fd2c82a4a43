package org.middlemark.brokerage.pages;

import org.middlemark.brokerage.operations.Brokerage;
import org.middlemark.brokerage.operations.Request;
import org.middlemark.brokerage.quotes.MarketSummary;
import org.middlemark.brokerage.settings.WebTier;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.stereotype.Component;

/** The market summary, which is shown again to everybody until it is too old. */
@Component
@WebTier
class Market {

    private final Brokerage services;

    Market(@Qualifier("services") Brokerage services) {
        this.services = services;
    }

    @Cacheable(cacheNames = "market-summary", sync = true)
    public MarketSummary summary() {
        return services.getMarketSummary(new Request.Nothing());
    }
}
