package org.middlemark.petstore.domain;

/** A user who has signed in, with the profile of that moment. */
public record Customer(String userId, Address profile) {
}
