package org.middlemark.petstore.domain;

/** A card that pays. */
public record Card(String type, String number, String expiration) {
}
