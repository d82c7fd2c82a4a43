package org.middlemark.brokerage.quotes;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;

/** Index, volume, gainers and losers over all quotes. */
public record MarketSummary(BigDecimal index, BigDecimal openIndex, long volume, List<Quote> gainers, List<Quote> losers, Instant asOf) {
}
