package org.middlemark.brokerage.quotes;

import java.util.List;

/** A list of quotes, as it is answered. */
public record Quotes(List<Quote> quotes) {
}
