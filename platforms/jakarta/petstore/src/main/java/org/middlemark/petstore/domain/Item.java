package org.middlemark.petstore.domain;

import java.math.BigDecimal;

/** One variant of a product, with a price. */
public record Item(String itemId, Product product, String name, BigDecimal price) {
}
