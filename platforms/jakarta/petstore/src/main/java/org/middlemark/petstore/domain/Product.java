package org.middlemark.petstore.domain;

/** A kind of animal for sale. */
public record Product(String productId, String name, String description) {
}
