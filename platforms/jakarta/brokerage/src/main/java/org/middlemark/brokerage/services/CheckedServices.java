package org.middlemark.brokerage.services;

import java.util.List;
import org.middlemark.brokerage.domain.Account;
import org.middlemark.brokerage.domain.Holding;
import org.middlemark.brokerage.domain.Limits;
import org.middlemark.brokerage.domain.MarketSummary;
import org.middlemark.brokerage.domain.Order;
import org.middlemark.brokerage.domain.Profile;
import org.middlemark.brokerage.domain.Quote;
import org.middlemark.brokerage.domain.Registration;

/**
 * Services in another process, which are not called with values outside their limits. Over SOAP such a call could not
 * even be written: XML 1.0 lacks most control characters.
 */
public final class CheckedServices implements RemoteServices {

    private final RemoteServices services;

    public CheckedServices(RemoteServices services) {
        this.services = services;
    }

    @Override
    public void ping() {
        services.ping();
    }

    @Override
    public Account login(String userId, String password) {
        Limits.userId(userId);
        Limits.password(password);
        return services.login(userId, password);
    }

    @Override
    public void logout(String userId) {
        Limits.userId(userId);
        services.logout(userId);
    }

    @Override
    public Account register(Registration registration) {
        Limits.registration(registration);
        return services.register(registration);
    }

    @Override
    public Account getAccount(String userId) {
        Limits.userId(userId);
        return services.getAccount(userId);
    }

    @Override
    public Profile getProfile(String userId) {
        Limits.userId(userId);
        return services.getProfile(userId);
    }

    @Override
    public Profile updateProfile(Profile profile, String newPassword) {
        Limits.profile(profile);
        Limits.newPassword(newPassword);
        return services.updateProfile(profile, newPassword);
    }

    @Override
    public List<Holding> getHoldings(String userId) {
        Limits.userId(userId);
        return services.getHoldings(userId);
    }

    @Override
    public Holding getHolding(String userId, long holdingId) {
        Limits.userId(userId);
        Limits.holdingId(holdingId);
        return services.getHolding(userId, holdingId);
    }

    @Override
    public List<Order> getOrders(String userId, long limit) {
        Limits.userId(userId);
        Limits.limit(limit);
        return services.getOrders(userId, limit);
    }

    @Override
    public List<Order> getClosedOrders(String userId) {
        Limits.userId(userId);
        return services.getClosedOrders(userId);
    }

    @Override
    public Quote getQuote(String symbol) {
        Limits.symbol(symbol);
        return services.getQuote(symbol);
    }

    @Override
    public List<Quote> getQuotes(List<String> symbols) {
        Limits.symbols(symbols);
        return services.getQuotes(symbols);
    }

    @Override
    public MarketSummary getMarketSummary() {
        return services.getMarketSummary();
    }

    @Override
    public Order buy(String userId, String symbol, long quantity) {
        Limits.userId(userId);
        Limits.symbol(symbol);
        Limits.quantity(quantity);
        return services.buy(userId, symbol, quantity);
    }

    @Override
    public Order sell(String userId, long holdingId) {
        Limits.userId(userId);
        Limits.holdingId(holdingId);
        return services.sell(userId, holdingId);
    }

    @Override
    public void close() {
        services.close();
    }
}
