package org.middlemark.brokerage.accounts;

/** Who a user is. */
public record Profile(String userId, String fullName, String address, String email, String creditCard) {
}
