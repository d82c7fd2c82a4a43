package org.middlemark.brokerage.services;

import java.util.List;
import org.middlemark.brokerage.domain.Account;
import org.middlemark.brokerage.domain.Holding;
import org.middlemark.brokerage.domain.MarketSummary;
import org.middlemark.brokerage.domain.Order;
import org.middlemark.brokerage.domain.Profile;
import org.middlemark.brokerage.domain.Quote;
import org.middlemark.brokerage.domain.Registration;

/**
 * The business operations. Every binding offers exactly these from one implementation, and calls exactly these
 * elsewhere; the names are the specification's. No argument is null. Every failure is a {@link
 * org.middlemark.brokerage.domain.Refusal}.
 */
public interface BrokerageServices {
    /** Asks nothing of the database. */
    void ping();

    Account login(String userId, String password);

    void logout(String userId);

    Account register(Registration registration);

    Account getAccount(String userId);

    Profile getProfile(String userId);

    /** Leaves the password as it is when {@code newPassword} is empty. */
    Profile updateProfile(Profile profile, String newPassword);

    /** By holding id. */
    List<Holding> getHoldings(String userId);

    Holding getHolding(String userId, long holdingId);

    /** The newest orders first, at most {@code limit}. */
    List<Order> getOrders(String userId, long limit);

    /** The orders completed and not yet seen, by open time and id; marks them seen. */
    List<Order> getClosedOrders(String userId);

    Quote getQuote(String symbol);

    /** In the order asked, each symbol once, unknown symbols left out. */
    List<Quote> getQuotes(List<String> symbols);

    MarketSummary getMarketSummary();

    Order buy(String userId, String symbol, long quantity);

    Order sell(String userId, long holdingId);
}
