package org.middlemark.petstore.domain;

import java.math.BigDecimal;
import java.util.List;
import org.middlemark.values.Money;

/** The cart as a page shows it; its lines are by item id. */
public record Cart(List<CartLine> lines) {
    public BigDecimal total() {
        return lines.stream().map(CartLine::total).reduce(Money.ZERO, BigDecimal::add);
    }
}
