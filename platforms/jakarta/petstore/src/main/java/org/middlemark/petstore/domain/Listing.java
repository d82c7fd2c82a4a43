package org.middlemark.petstore.domain;

import java.util.List;

/** A page of the products of a search or of a category. */
public record Listing(List<Product> products, int number, boolean hasNext) {
    /** The products on a page. */
    public static final int SIZE = 10;
}
