package org.middlemark.petstore.domain;

import java.util.List;

/** A product and its items, by item id. */
public record ProductWithItems(Product product, List<Item> items) {
}
