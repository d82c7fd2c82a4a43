package org.middlemark.brokerage.quotes;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.middlemark.brokerage.database.RepeatedOnConflict;
import org.middlemark.brokerage.database.Times;
import org.middlemark.brokerage.errors.Refusal;
import org.middlemark.brokerage.settings.WithDatabase;
import org.springframework.stereotype.Service;

/** Quotes and the market summary. */
@Service
@WithDatabase
public class QuoteService {

    private static final int GAINERS_AND_LOSERS = 5;

    private final QuoteRepository quotes;

    QuoteService(QuoteRepository quotes) {
        this.quotes = quotes;
    }

    @RepeatedOnConflict
    public Quote quote(String symbol) {
        return quotes.find(symbol).orElseThrow(() -> Refusal.unknownSymbol(symbol));
    }

    /** Returns the quotes in the order asked, each once, unknown symbols left out. */
    @RepeatedOnConflict
    public List<Quote> quotes(Collection<String> symbols) {
        Set<String> asked = new LinkedHashSet<>(symbols);
        Map<String, Quote> found = quotes.findAll(asked).stream().collect(Collectors.toMap(Quote::symbol, Function.identity()));
        return asked.stream().map(found::get).filter(Objects::nonNull).toList();
    }

    @RepeatedOnConflict
    public MarketSummary marketSummary() {
        QuoteRepository.Averages averages = quotes.averages();
        return new MarketSummary(averages.price(), averages.open(), averages.volume(), quotes.gainers(GAINERS_AND_LOSERS),
                quotes.losers(GAINERS_AND_LOSERS), Times.now());
    }
}
