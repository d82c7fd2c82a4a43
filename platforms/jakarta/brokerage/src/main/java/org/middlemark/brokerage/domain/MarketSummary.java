package org.middlemark.brokerage.domain;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;

/** The state of the market over all quotes; gainers and losers are at most {@link #MOVERS} each. */
public record MarketSummary(BigDecimal index, BigDecimal openIndex, long volume, List<Quote> gainers,
        List<Quote> losers, Instant asOf) {

    /** How many gainers and losers there are at most. */
    public static final int MOVERS = 5;

    /** How far the index has moved since the opening. */
    public BigDecimal change() {
        return index.subtract(openIndex);
    }
}
