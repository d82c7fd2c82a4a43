package org.middlemark.brokerage.domain;

import java.math.BigDecimal;

/** A share's price now and its day's figures. Amounts have two decimals; volume is in shares. */
public record Quote(String symbol, String company, BigDecimal price, BigDecimal open, BigDecimal low, BigDecimal high,
        BigDecimal change, long volume) {

    /**
     * The quote after a completed order.
     *
     * @param quantity shares of the order
     * @param trades number of completed orders on the symbol, this one included
     */
    public Quote moved(long quantity, long trades) {
        BigDecimal next = PriceWalk.next(symbol, price, trades);
        return new Quote(symbol, company, next, open, low.min(next), high.max(next), next.subtract(open),
                volume + quantity);
    }
}
