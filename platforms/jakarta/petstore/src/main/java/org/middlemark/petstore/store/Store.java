package org.middlemark.petstore.store;

/**
 * The rows of both databases. What reads needs no transaction; what writes takes part in the caller's, which so becomes
 * a distributed one.
 */
public interface Store {
    Catalog catalog();

    Customers customers();

    Orders orders();
}
