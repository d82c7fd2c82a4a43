package org.middlemark.brokerage.domain;

/** The state of an order; {@link #word()} is how the database and the bindings say it. */
public enum OrderStatus {
    OPEN, CLOSED;

    public String word() {
        return this == OPEN ? "open" : "closed";
    }

    /** Reads {@link #word()}; IllegalArgumentException for any other text. */
    public static OrderStatus of(String word) {
        return switch (word) {
            case "open" -> OPEN;
            case "closed" -> CLOSED;
            default -> throw new IllegalArgumentException("an order is open or closed, not " + word);
        };
    }
}
