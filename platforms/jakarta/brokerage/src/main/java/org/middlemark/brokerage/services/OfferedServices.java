package org.middlemark.brokerage.services;

import jakarta.ejb.Local;
import jakarta.ejb.Stateless;
import jakarta.ejb.TransactionAttribute;
import jakarta.ejb.TransactionAttributeType;
import jakarta.enterprise.event.Event;
import jakarta.inject.Inject;
import java.util.List;
import org.middlemark.brokerage.domain.Account;
import org.middlemark.brokerage.domain.Holding;
import org.middlemark.brokerage.domain.Limits;
import org.middlemark.brokerage.domain.MarketSummary;
import org.middlemark.brokerage.domain.Order;
import org.middlemark.brokerage.domain.Profile;
import org.middlemark.brokerage.domain.Quote;
import org.middlemark.brokerage.domain.Registration;
import org.middlemark.brokerage.settings.OrderProcessing;

/** The services as every binding offers them: values are checked, then the operation is carried out in attempts. */
@Stateless
@Local(BrokerageServices.class)
@TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
public class OfferedServices implements BrokerageServices {
    @Inject
    private AccountBusiness accounts;
    @Inject
    private TradingBusiness trading;
    @Inject
    private MarketBusiness market;
    @Inject
    private Operations operations;
    @Inject
    private Counters counters;
    @Inject
    private SettingsInEffect settings;
    @Inject
    private Event<OrderPlaced> placed;

    @Override
    public void ping() {
        // Whoever gets here has reached the services.
    }

    @Override
    public Account login(String userId, String password) {
        Limits.userId(userId);
        Limits.password(password);
        return operations.carryOut(() -> accounts.login(userId, password));
    }

    @Override
    public void logout(String userId) {
        Limits.userId(userId);
        operations.carryOut(() -> {
            accounts.logout(userId);
            return userId;
        });
    }

    @Override
    public Account register(Registration registration) {
        Limits.registration(registration);
        return operations.carryOut(() -> accounts.register(registration));
    }

    @Override
    public Account getAccount(String userId) {
        Limits.userId(userId);
        return operations.carryOut(() -> accounts.get(userId));
    }

    @Override
    public Profile getProfile(String userId) {
        Limits.userId(userId);
        return operations.carryOut(() -> accounts.profile(userId));
    }

    @Override
    public Profile updateProfile(Profile profile, String newPassword) {
        Limits.profile(profile);
        Limits.newPassword(newPassword);
        return operations.carryOut(() -> accounts.update(profile, newPassword));
    }

    @Override
    public List<Holding> getHoldings(String userId) {
        Limits.userId(userId);
        return operations.carryOut(() -> trading.holdings(userId));
    }

    @Override
    public Holding getHolding(String userId, long holdingId) {
        Limits.userId(userId);
        Limits.holdingId(holdingId);
        return operations.carryOut(() -> trading.holding(userId, holdingId));
    }

    @Override
    public List<Order> getOrders(String userId, long limit) {
        Limits.userId(userId);
        Limits.limit(limit);
        return operations.carryOut(() -> trading.orders(userId, (int) limit));
    }

    /** Two calls of the session bean: what the second needs of the database the first has given back. */
    @Override
    public List<Order> getClosedOrders(String userId) {
        Limits.userId(userId);
        return operations.carryOut(() -> trading.hasUnseenOrders(userId) ? trading.seeOrders(userId) : List.of());
    }

    @Override
    public Quote getQuote(String symbol) {
        Limits.symbol(symbol);
        return operations.carryOut(() -> market.quote(symbol));
    }

    @Override
    public List<Quote> getQuotes(List<String> symbols) {
        Limits.symbols(symbols);
        return operations.carryOut(() -> market.quotes(symbols));
    }

    @Override
    public MarketSummary getMarketSummary() {
        return operations.carryOut(market::summary);
    }

    @Override
    public Order buy(String userId, String symbol, long quantity) {
        Limits.userId(userId);
        Limits.symbol(symbol);
        Limits.quantity(quantity);
        OrderProcessing orders = settings.now().orders();
        boolean later = orders.isAsynchronous();
        return ordered(operations.carryOut(
                () -> later ? trading.placeBuy(userId, symbol, quantity) : trading.buy(userId, symbol, quantity)),
                orders);
    }

    @Override
    public Order sell(String userId, long holdingId) {
        Limits.userId(userId);
        Limits.holdingId(holdingId);
        OrderProcessing orders = settings.now().orders();
        boolean later = orders.isAsynchronous();
        return ordered(operations.carryOut(
                () -> later ? trading.placeSell(userId, holdingId) : trading.sell(userId, holdingId)), orders);
    }

    private Order ordered(Order order, OrderProcessing processing) {
        counters.placed();
        switch (processing) {
            case SYNC -> counters.completed();
            case ASYNC_QUEUE -> placed.fire(new OrderPlaced(order.orderId()));
            case ASYNC_XA -> { } // the queue delivers it by itself
        }
        return order;
    }
}
