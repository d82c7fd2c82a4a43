package org.middlemark.petstore.domain;

/** Name and address of a person. */
public record Address(String firstName, String lastName, String address1, String address2, String city, String state,
        String zip, String country, String phone) {
}
