package org.middlemark.petstore.domain;

/** A category of products. */
public record Category(String categoryId, String name) {
}
