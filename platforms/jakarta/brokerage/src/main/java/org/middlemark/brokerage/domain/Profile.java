package org.middlemark.brokerage.domain;

/** Who a user is. The password is not part of it: nobody ever reads it back. */
public record Profile(String userId, String fullName, String address, String email, String creditCard) {
}
