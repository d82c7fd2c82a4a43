package org.middlemark.petstore.domain;

/** A user's card and the address of the bill. */
public record Billing(Card card, Address address) {
}
