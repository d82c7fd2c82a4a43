package org.middlemark.brokerage.json;

import org.middlemark.brokerage.accounts.Account;
import org.middlemark.brokerage.accounts.Profile;
import org.middlemark.brokerage.operations.Brokerage;
import org.middlemark.brokerage.operations.LocalBrokerage;
import org.middlemark.brokerage.operations.Nothing;
import org.middlemark.brokerage.operations.Request;
import org.middlemark.brokerage.orders.Holding;
import org.middlemark.brokerage.orders.Holdings;
import org.middlemark.brokerage.orders.Order;
import org.middlemark.brokerage.orders.Orders;
import org.middlemark.brokerage.quotes.MarketSummary;
import org.middlemark.brokerage.quotes.Quote;
import org.middlemark.brokerage.quotes.Quotes;
import org.middlemark.brokerage.settings.ServicesTier;
import org.springframework.web.bind.annotation.RestController;

/** The operations over JSON, at the addresses that {@link Brokerage} names. */
@RestController
@ServicesTier
class JsonController implements Brokerage {

    private final Brokerage brokerage;

    JsonController(LocalBrokerage brokerage) {
        this.brokerage = brokerage;
    }

    @Override
    public Nothing ping(Request.Nothing request) {
        return brokerage.ping(request);
    }

    @Override
    public Account login(Request.Login request) {
        return brokerage.login(request);
    }

    @Override
    public Nothing logout(Request.User request) {
        return brokerage.logout(request);
    }

    @Override
    public Account register(Request.Registration request) {
        return brokerage.register(request);
    }

    @Override
    public Account getAccount(Request.User request) {
        return brokerage.getAccount(request);
    }

    @Override
    public Profile getProfile(Request.User request) {
        return brokerage.getProfile(request);
    }

    @Override
    public Profile updateProfile(Request.ProfileUpdate request) {
        return brokerage.updateProfile(request);
    }

    @Override
    public Holdings getHoldings(Request.User request) {
        return brokerage.getHoldings(request);
    }

    @Override
    public Holding getHolding(Request.UserHolding request) {
        return brokerage.getHolding(request);
    }

    @Override
    public Orders getOrders(Request.LastOrders request) {
        return brokerage.getOrders(request);
    }

    @Override
    public Orders getClosedOrders(Request.User request) {
        return brokerage.getClosedOrders(request);
    }

    @Override
    public Quote getQuote(Request.OneSymbol request) {
        return brokerage.getQuote(request);
    }

    @Override
    public Quotes getQuotes(Request.Symbols request) {
        return brokerage.getQuotes(request);
    }

    @Override
    public MarketSummary getMarketSummary(Request.Nothing request) {
        return brokerage.getMarketSummary(request);
    }

    @Override
    public Order buy(Request.Purchase request) {
        return brokerage.buy(request);
    }

    @Override
    public Order sell(Request.UserHolding request) {
        return brokerage.sell(request);
    }
}
