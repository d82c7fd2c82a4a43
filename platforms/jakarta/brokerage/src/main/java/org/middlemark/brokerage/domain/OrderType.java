package org.middlemark.brokerage.domain;

/** The direction of an order; {@link #word()} is how the database and the bindings say it. */
public enum OrderType {
    BUY, SELL;

    public String word() {
        return this == BUY ? "buy" : "sell";
    }

    /** Reads {@link #word()}; IllegalArgumentException for any other text. */
    public static OrderType of(String word) {
        return switch (word) {
            case "buy" -> BUY;
            case "sell" -> SELL;
            default -> throw new IllegalArgumentException("an order is buy or sell, not " + word);
        };
    }
}
