package org.middlemark.petstore.domain;

import java.math.BigDecimal;

/** A line of the cart as a page shows it. */
public record CartLine(Item item, int quantity, long inventory) {
    public BigDecimal total() {
        return item.price().multiply(BigDecimal.valueOf(quantity));
    }
}
