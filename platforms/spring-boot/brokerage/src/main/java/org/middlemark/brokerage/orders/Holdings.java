package org.middlemark.brokerage.orders;

import java.util.List;

/** A list of holdings, as it is answered. */
public record Holdings(List<Holding> holdings) {
}
