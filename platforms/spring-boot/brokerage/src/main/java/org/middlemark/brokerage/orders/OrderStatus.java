package org.middlemark.brokerage.orders;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** How far an order is. */
public enum OrderStatus {
    OPEN,
    CLOSED;

    /** The word for it in the database and in every interface. */
    @JsonValue
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static OrderStatus of(String word) {
        return valueOf(word.toUpperCase(Locale.ROOT));
    }
}
