package org.middlemark.brokerage.messages;

import java.io.IOException;
import java.util.List;
import java.util.function.Function;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.middlemark.brokerage.domain.Account;
import org.middlemark.brokerage.domain.Holding;
import org.middlemark.brokerage.domain.MarketSummary;
import org.middlemark.brokerage.domain.Order;
import org.middlemark.brokerage.domain.Profile;
import org.middlemark.brokerage.domain.Quote;
import org.middlemark.brokerage.domain.Refusal;
import org.middlemark.brokerage.domain.Registration;
import org.middlemark.brokerage.services.RemoteServices;

/** The services somewhere else, called by messages. */
public abstract class MessageClient implements RemoteServices {
    private static final Logger LOG = Logger.getLogger(MessageClient.class.getName());

    private final HttpCalls calls;

    protected MessageClient(HttpCalls calls) {
        this.calls = calls;
    }

    /**
     * Sends the request and reads its answer. A Refusal is the services', a WrongAnswer or an IOException says that
     * there is no answer.
     */
    protected abstract <T extends Record> T exchange(HttpCalls calls, Operation operation, Record request,
            Class<T> answer)
            throws IOException;

    /** Nothing: the JDK's client closes its connections when nobody refers to it any more. */
    @Override
    public void close() {
        // see above
    }

    @Override
    public void ping() {
        call(Operation.PING, new Requests.Nothing(), Answers.Nothing.class);
    }

    @Override
    public Account login(String userId, String password) {
        return call(Operation.LOGIN, new Requests.Login(userId, password), Account.class);
    }

    @Override
    public void logout(String userId) {
        call(Operation.LOGOUT, new Requests.User(userId), Answers.Nothing.class);
    }

    @Override
    public Account register(Registration registration) {
        return call(Operation.REGISTER, Requests.Registration.of(registration), Account.class);
    }

    @Override
    public Account getAccount(String userId) {
        return call(Operation.GET_ACCOUNT, new Requests.User(userId), Account.class);
    }

    @Override
    public Profile getProfile(String userId) {
        return call(Operation.GET_PROFILE, new Requests.User(userId), Profile.class);
    }

    @Override
    public Profile updateProfile(Profile profile, String newPassword) {
        return call(Operation.UPDATE_PROFILE, Requests.ProfileUpdate.of(profile, newPassword), Profile.class);
    }

    @Override
    public List<Holding> getHoldings(String userId) {
        return call(Operation.GET_HOLDINGS, new Requests.User(userId), Answers.Holdings.class).holdings();
    }

    @Override
    public Holding getHolding(String userId, long holdingId) {
        return call(Operation.GET_HOLDING, new Requests.UserHolding(userId, holdingId), Holding.class);
    }

    @Override
    public List<Order> getOrders(String userId, long limit) {
        return orders(Operation.GET_ORDERS, new Requests.Newest(userId, limit));
    }

    @Override
    public List<Order> getClosedOrders(String userId) {
        return orders(Operation.GET_CLOSED_ORDERS, new Requests.User(userId));
    }

    @Override
    public Quote getQuote(String symbol) {
        return call(Operation.GET_QUOTE, new Requests.Symbol(symbol), Quote.class);
    }

    @Override
    public List<Quote> getQuotes(List<String> symbols) {
        return call(Operation.GET_QUOTES, new Requests.Symbols(symbols), Answers.Quotes.class).quotes();
    }

    @Override
    public MarketSummary getMarketSummary() {
        return call(Operation.GET_MARKET_SUMMARY, new Requests.Nothing(), MarketSummary.class);
    }

    @Override
    public Order buy(String userId, String symbol, long quantity) {
        return call(Operation.BUY, new Requests.Buy(userId, symbol, quantity), Answers.Order.class,
                Answers.Order::domain);
    }

    @Override
    public Order sell(String userId, long holdingId) {
        return call(Operation.SELL, new Requests.UserHolding(userId, holdingId), Answers.Order.class,
                Answers.Order::domain);
    }

    private List<Order> orders(Operation operation, Record request) {
        return call(operation, request, Answers.Orders.class, Answers.Orders::domain);
    }

    private <T extends Record> T call(Operation operation, Record request, Class<T> answer) {
        return call(operation, request, answer, Function.identity());
    }

    private <T extends Record, R> R call(Operation operation, Record request, Class<T> answer, Function<T, R> domain) {
        try {
            return domain.apply(exchange(calls, operation, request, answer));
        } catch (IOException | WrongAnswer none) {
            LOG.log(Level.WARNING, "No answer of the services to {0}: {1}",
                    new Object[] {operation.operationName(), none});
            throw Refusal.unavailable(none);
        }
    }
}
