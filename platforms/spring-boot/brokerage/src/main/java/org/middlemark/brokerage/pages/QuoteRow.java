package org.middlemark.brokerage.pages;

import java.util.List;
import org.middlemark.brokerage.quotes.Quote;

/** A quote in a table. */
public record QuoteRow(Quote quote, Change change) {

    static List<QuoteRow> of(List<Quote> quotes) {
        return quotes.stream().map(quote -> new QuoteRow(quote, Change.of(quote.change()))).toList();
    }
}
