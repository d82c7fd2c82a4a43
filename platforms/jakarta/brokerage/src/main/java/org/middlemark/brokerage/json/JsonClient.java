package org.middlemark.brokerage.json;

import jakarta.ws.rs.client.Entity;
import jakarta.ws.rs.client.WebTarget;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.util.List;
import java.util.function.Function;
import org.middlemark.brokerage.domain.Account;
import org.middlemark.brokerage.domain.Codes;
import org.middlemark.brokerage.domain.Holding;
import org.middlemark.brokerage.domain.MarketSummary;
import org.middlemark.brokerage.domain.Order;
import org.middlemark.brokerage.domain.Profile;
import org.middlemark.brokerage.domain.Quote;
import org.middlemark.brokerage.domain.Registration;
import org.middlemark.brokerage.services.RemoteServices;
import org.middlemark.calls.Calls;
import org.middlemark.refusals.Code;
import org.middlemark.refusals.Refusal;

/** The services somewhere else, called by JSON over HTTP. */
final class JsonClient implements RemoteServices {
    private final WebTarget services;
    private final Calls calls;

    JsonClient(WebTarget services, Calls calls) {
        this.services = services;
        this.calls = calls;
    }

    @Override
    public void ping() {
        call("ping", new Requests.Nothing(), Answers.Nothing.class);
    }

    @Override
    public Account login(String userId, String password) {
        return call("login", new Requests.Login(userId, password), Account.class);
    }

    @Override
    public void logout(String userId) {
        call("logout", new Requests.User(userId), Answers.Nothing.class);
    }

    @Override
    public Account register(Registration registration) {
        return call("register", Requests.Registration.of(registration), Account.class);
    }

    @Override
    public Account getAccount(String userId) {
        return call("getAccount", new Requests.User(userId), Account.class);
    }

    @Override
    public Profile getProfile(String userId) {
        return call("getProfile", new Requests.User(userId), Profile.class);
    }

    @Override
    public Profile updateProfile(Profile profile, String newPassword) {
        return call("updateProfile", Requests.ProfileUpdate.of(profile, newPassword), Profile.class);
    }

    @Override
    public List<Holding> getHoldings(String userId) {
        return call("getHoldings", new Requests.User(userId), Answers.Holdings.class, Answers.Holdings::holdings);
    }

    @Override
    public Holding getHolding(String userId, long holdingId) {
        return call("getHolding", new Requests.UserHolding(userId, holdingId), Holding.class);
    }

    @Override
    public List<Order> getOrders(String userId, long limit) {
        return call("getOrders", new Requests.Newest(userId, limit), Answers.Orders.class, Answers.Orders::domain);
    }

    @Override
    public List<Order> getClosedOrders(String userId) {
        return call("getClosedOrders", new Requests.User(userId), Answers.Orders.class, Answers.Orders::domain);
    }

    @Override
    public Quote getQuote(String symbol) {
        return call("getQuote", new Requests.Symbol(symbol), Quote.class);
    }

    @Override
    public List<Quote> getQuotes(List<String> symbols) {
        return call("getQuotes", new Requests.Symbols(symbols), Answers.Quotes.class, Answers.Quotes::quotes);
    }

    @Override
    public MarketSummary getMarketSummary() {
        return call("getMarketSummary", new Requests.Nothing(), MarketSummary.class);
    }

    @Override
    public Order buy(String userId, String symbol, long quantity) {
        return call("buy", new Requests.Buy(userId, symbol, quantity), Answers.Order.class, Answers.Order::domain);
    }

    @Override
    public Order sell(String userId, long holdingId) {
        return call("sell", new Requests.UserHolding(userId, holdingId), Answers.Order.class, Answers.Order::domain);
    }

    private <T> T call(String operation, Object request, Class<T> answer) {
        return call(operation, request, answer, Function.identity());
    }

    private <A, T> T call(String operation, Object request, Class<A> answer, Function<A, T> domain) {
        return calls.call(() -> {
            try (Response response = services.path(operation).request(MediaType.APPLICATION_JSON, Answers.Problem.TYPE)
                    .post(Entity.json(request))) {
                if (response.getStatus() != Response.Status.OK.getStatusCode()) {
                    throw refusal(response.readEntity(Answers.Problem.class));
                }
                return domain.apply(response.readEntity(answer));
            }
        });
    }

    private static Refusal refusal(Answers.Problem problem) {
        return new Refusal(Code.of(problem.code(), Codes.ALL).orElseThrow(), problem.detail());
    }
}
