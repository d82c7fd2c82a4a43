package org.middlemark.petstore.domain;

/** An item with its inventory now. */
public record Stocked(Item item, long inventory) {
}
