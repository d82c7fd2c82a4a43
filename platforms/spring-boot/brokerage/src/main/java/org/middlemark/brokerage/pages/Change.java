package org.middlemark.brokerage.pages;

import java.math.BigDecimal;

/** An amount by which something has changed, with its trend. */
public record Change(BigDecimal amount, Trend trend) {

    static Change of(BigDecimal amount) {
        return new Change(amount, Trend.of(amount));
    }
}
