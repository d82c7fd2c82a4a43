package org.middlemark.petstore.domain;

import java.math.BigDecimal;

/** A line of an order; the price is that of one piece. */
public record OrderLine(int lineNumber, String itemId, int quantity, BigDecimal price) {
    public BigDecimal total() {
        return price.multiply(BigDecimal.valueOf(quantity));
    }
}
