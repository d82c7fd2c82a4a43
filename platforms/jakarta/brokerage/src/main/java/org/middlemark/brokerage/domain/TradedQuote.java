package org.middlemark.brokerage.domain;

/** A quote with the number of completed orders on its symbol since the data set was loaded. */
public record TradedQuote(Quote quote, long trades) {

    /** The quote after one more completed order. */
    public TradedQuote moved(long quantity) {
        return new TradedQuote(quote.moved(quantity, trades + 1), trades + 1);
    }
}
