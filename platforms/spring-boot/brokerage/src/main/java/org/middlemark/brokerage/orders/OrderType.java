package org.middlemark.brokerage.orders;

import com.fasterxml.jackson.annotation.JsonValue;
import java.math.BigDecimal;
import java.util.Locale;

/** What an order does. */
public enum OrderType {
    BUY,
    SELL;

    /** The word for it in the database and in every interface. */
    @JsonValue
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** What a buy costs, and what a sell brings. */
    public BigDecimal total(long quantity, BigDecimal price, BigDecimal fee) {
        BigDecimal value = price.multiply(BigDecimal.valueOf(quantity));
        return this == BUY ? value.add(fee) : value.subtract(fee);
    }

    public static OrderType of(String word) {
        return valueOf(word.toUpperCase(Locale.ROOT));
    }
}
