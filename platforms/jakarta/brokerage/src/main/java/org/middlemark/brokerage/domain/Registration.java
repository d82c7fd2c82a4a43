package org.middlemark.brokerage.domain;

import java.math.BigDecimal;

/** What a new user gives. */
public record Registration(Profile profile, String password, BigDecimal openBalance) {
}
