package org.middlemark.brokerage.operations;

import org.middlemark.brokerage.accounts.Account;
import org.middlemark.brokerage.accounts.Profile;
import org.middlemark.brokerage.orders.Holding;
import org.middlemark.brokerage.orders.Holdings;
import org.middlemark.brokerage.orders.Order;
import org.middlemark.brokerage.orders.Orders;
import org.middlemark.brokerage.quotes.MarketSummary;
import org.middlemark.brokerage.quotes.Quote;
import org.middlemark.brokerage.quotes.Quotes;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.annotation.PostExchange;

/**
 * The business operations. The web tier calls them without knowing where they are; each throws a
 * {@link org.middlemark.brokerage.errors.Refusal}. The addresses are those of the JSON interface, for its controller and its client.
 */
@HttpExchange("/services/json")
public interface Brokerage {

    @PostExchange("/ping")
    Nothing ping(@RequestBody Request.Nothing request);

    @PostExchange("/login")
    Account login(@RequestBody Request.Login request);

    @PostExchange("/logout")
    Nothing logout(@RequestBody Request.User request);

    @PostExchange("/register")
    Account register(@RequestBody Request.Registration request);

    @PostExchange("/getAccount")
    Account getAccount(@RequestBody Request.User request);

    @PostExchange("/getProfile")
    Profile getProfile(@RequestBody Request.User request);

    @PostExchange("/updateProfile")
    Profile updateProfile(@RequestBody Request.ProfileUpdate request);

    @PostExchange("/getHoldings")
    Holdings getHoldings(@RequestBody Request.User request);

    @PostExchange("/getHolding")
    Holding getHolding(@RequestBody Request.UserHolding request);

    @PostExchange("/getOrders")
    Orders getOrders(@RequestBody Request.LastOrders request);

    @PostExchange("/getClosedOrders")
    Orders getClosedOrders(@RequestBody Request.User request);

    @PostExchange("/getQuote")
    Quote getQuote(@RequestBody Request.OneSymbol request);

    @PostExchange("/getQuotes")
    Quotes getQuotes(@RequestBody Request.Symbols request);

    @PostExchange("/getMarketSummary")
    MarketSummary getMarketSummary(@RequestBody Request.Nothing request);

    @PostExchange("/buy")
    Order buy(@RequestBody Request.Purchase request);

    @PostExchange("/sell")
    Order sell(@RequestBody Request.UserHolding request);
}
