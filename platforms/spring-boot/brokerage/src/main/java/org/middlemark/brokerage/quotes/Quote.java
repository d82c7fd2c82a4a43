package org.middlemark.brokerage.quotes;

import java.math.BigDecimal;

/** A share's price now and its day's figures. */
public record Quote(String symbol, String company, BigDecimal price, BigDecimal open, BigDecimal low, BigDecimal high,
        BigDecimal change, long volume) {
}
