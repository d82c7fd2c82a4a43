package org.middlemark.brokerage.store.jpa;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.math.BigDecimal;
import org.middlemark.brokerage.domain.Quote;
import org.middlemark.brokerage.domain.TradedQuote;

/** A row of the table quotes. */
@Entity
@Table(name = "quotes")
public class QuoteRow {
    @Id
    private String symbol;
    private String company;
    private BigDecimal price;
    private BigDecimal open;
    private BigDecimal low;
    private BigDecimal high;
    private BigDecimal change;
    private long volume;
    private long trades;

    protected QuoteRow() {
    }

    BigDecimal price() {
        return price;
    }

    void move(TradedQuote moved) {
        Quote quote = moved.quote();
        price = quote.price();
        low = quote.low();
        high = quote.high();
        change = quote.change();
        volume = quote.volume();
        trades = moved.trades();
    }

    Quote quote() {
        return new Quote(symbol, company, price, open, low, high, change, volume);
    }

    TradedQuote traded() {
        return new TradedQuote(quote(), trades);
    }
}
