package org.middlemark.petstore.domain;

/** A page of the products of a category. */
public record CategoryListing(Category category, Listing listing) {
}
