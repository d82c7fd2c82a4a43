package org.middlemark.brokerage.orders;

import java.util.List;

/** A list of orders, as it is answered. */
public record Orders(List<Order> orders) {
}
