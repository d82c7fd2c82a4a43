package org.middlemark.brokerage.operations;

import java.util.function.Supplier;
import org.middlemark.brokerage.accounts.Account;
import org.middlemark.brokerage.accounts.AccountService;
import org.middlemark.brokerage.accounts.Profile;
import org.middlemark.brokerage.database.Unavailability;
import org.middlemark.brokerage.errors.Refusal;
import org.middlemark.brokerage.orders.Holding;
import org.middlemark.brokerage.orders.Holdings;
import org.middlemark.brokerage.orders.Order;
import org.middlemark.brokerage.orders.OrderService;
import org.middlemark.brokerage.orders.Orders;
import org.middlemark.brokerage.orders.PortfolioService;
import org.middlemark.brokerage.process.Statistics;
import org.middlemark.brokerage.quotes.MarketSummary;
import org.middlemark.brokerage.quotes.Quote;
import org.middlemark.brokerage.quotes.QuoteService;
import org.middlemark.brokerage.quotes.Quotes;
import org.middlemark.brokerage.settings.WithDatabase;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.annotation.Primary;
import org.springframework.stereotype.Service;

/** The operations in this process. What the database reports becomes a Refusal here, and its details go to the log. */
@Service
@WithDatabase
@Primary
public class LocalBrokerage implements Brokerage {

    private static final Logger LOG = LoggerFactory.getLogger(LocalBrokerage.class);

    private final AccountService accounts;
    private final QuoteService quotes;
    private final PortfolioService portfolios;
    private final OrderService orders;
    private final Statistics statistics;

    LocalBrokerage(AccountService accounts, QuoteService quotes, PortfolioService portfolios, OrderService orders, Statistics statistics) {
        this.accounts = accounts;
        this.quotes = quotes;
        this.portfolios = portfolios;
        this.orders = orders;
        this.statistics = statistics;
    }

    @Override
    public Nothing ping(Request.Nothing request) {
        return new Nothing();
    }

    @Override
    public Account login(Request.Login request) {
        return answer(request, () -> accounts.logIn(request.userId(), request.password()));
    }

    @Override
    public Nothing logout(Request.User request) {
        return answer(request, () -> {
            accounts.logOut(request.userId());
            return new Nothing();
        });
    }

    @Override
    public Account register(Request.Registration request) {
        return answer(request, () -> accounts.register(
                new Profile(request.userId(), request.fullName(), request.address(), request.email(), request.creditCard()),
                request.password(), request.openBalance()));
    }

    @Override
    public Account getAccount(Request.User request) {
        return answer(request, () -> accounts.account(request.userId()));
    }

    @Override
    public Profile getProfile(Request.User request) {
        return answer(request, () -> accounts.profile(request.userId()));
    }

    @Override
    public Profile updateProfile(Request.ProfileUpdate request) {
        return answer(request, () -> accounts.updateProfile(
                new Profile(request.userId(), request.fullName(), request.address(), request.email(), request.creditCard()),
                request.password()));
    }

    @Override
    public Holdings getHoldings(Request.User request) {
        return answer(request, () -> new Holdings(portfolios.holdings(request.userId())));
    }

    @Override
    public Holding getHolding(Request.UserHolding request) {
        return answer(request, () -> portfolios.holding(request.userId(), request.holdingId()));
    }

    @Override
    public Orders getOrders(Request.LastOrders request) {
        return answer(request, () -> new Orders(portfolios.lastOrders(request.userId(), request.limit())));
    }

    @Override
    public Orders getClosedOrders(Request.User request) {
        return answer(request, () -> new Orders(portfolios.closedOrders(request.userId())));
    }

    @Override
    public Quote getQuote(Request.OneSymbol request) {
        return answer(request, () -> quotes.quote(request.symbol()));
    }

    @Override
    public Quotes getQuotes(Request.Symbols request) {
        return answer(request, () -> new Quotes(quotes.quotes(request.symbols())));
    }

    @Override
    public MarketSummary getMarketSummary(Request.Nothing request) {
        return answer(request, quotes::marketSummary);
    }

    @Override
    public Order buy(Request.Purchase request) {
        return ordered(answer(request, () -> orders.buy(request.userId(), request.symbol(), request.quantity())));
    }

    @Override
    public Order sell(Request.UserHolding request) {
        return ordered(answer(request, () -> orders.sell(request.userId(), request.holdingId())));
    }

    private Order ordered(Order order) {
        statistics.orderPlaced();
        statistics.orderCompleted();
        return order;
    }

    private <T> T answer(Request request, Supplier<T> operation) {
        request.check();
        statistics.operation();
        try {
            return operation.get();
        } catch (Refusal refused) {
            throw refused;
        } catch (RuntimeException failure) {
            statistics.operationFailed();
            LOG.error("{} failed", request.getClass().getSimpleName(), failure);
            throw Unavailability.isReasonOf(failure) ? Refusal.unavailable() : Refusal.internal();
        }
    }
}
