package org.middlemark.brokerage.soap;

import jakarta.xml.ws.soap.SOAPFaultException;
import java.util.List;
import java.util.function.Supplier;
import org.middlemark.brokerage.domain.Account;
import org.middlemark.brokerage.domain.Codes;
import org.middlemark.brokerage.domain.Holding;
import org.middlemark.brokerage.domain.MarketSummary;
import org.middlemark.brokerage.domain.Order;
import org.middlemark.brokerage.domain.Profile;
import org.middlemark.brokerage.domain.Quote;
import org.middlemark.brokerage.domain.Registration;
import org.middlemark.brokerage.services.RemoteServices;
import org.middlemark.brokerage.soap.wire.Brokerage;
import org.middlemark.brokerage.soap.wire.Nothing;
import org.middlemark.calls.Calls;
import org.middlemark.soap.SoapFaults;

/** The services somewhere else, called by SOAP over HTTP. */
final class SoapClient implements RemoteServices {
    private final Brokerage port;
    private final Calls calls;

    /** All calls share {@code port}, which nobody changes any more. */
    SoapClient(Brokerage port, Calls calls) {
        this.port = port;
        this.calls = calls;
    }

    @Override
    public void ping() {
        call(() -> port.ping(new Nothing()));
    }

    @Override
    public Account login(String userId, String password) {
        return call(() -> Records.account(port.login(Beans.login(userId, password))));
    }

    @Override
    public void logout(String userId) {
        call(() -> port.logout(Beans.user(userId)));
    }

    @Override
    public Account register(Registration registration) {
        return call(() -> Records.account(port.register(Beans.registration(registration))));
    }

    @Override
    public Account getAccount(String userId) {
        return call(() -> Records.account(port.getAccount(Beans.user(userId))));
    }

    @Override
    public Profile getProfile(String userId) {
        return call(() -> Records.profile(port.getProfile(Beans.user(userId))));
    }

    @Override
    public Profile updateProfile(Profile profile, String newPassword) {
        return call(() -> Records.profile(port.updateProfile(Beans.profileUpdate(profile, newPassword))));
    }

    @Override
    public List<Holding> getHoldings(String userId) {
        return call(() -> Records.holdings(port.getHoldings(Beans.user(userId))));
    }

    @Override
    public Holding getHolding(String userId, long holdingId) {
        return call(() -> Records.holding(port.getHolding(Beans.userHolding(userId, holdingId))));
    }

    @Override
    public List<Order> getOrders(String userId, long limit) {
        return call(() -> Records.orders(port.getOrders(Beans.ordersRequest(userId, limit))));
    }

    @Override
    public List<Order> getClosedOrders(String userId) {
        return call(() -> Records.orders(port.getClosedOrders(Beans.user(userId))));
    }

    @Override
    public Quote getQuote(String symbol) {
        return call(() -> Records.quote(port.getQuote(Beans.symbolRequest(symbol))));
    }

    @Override
    public List<Quote> getQuotes(List<String> symbols) {
        return call(() -> Records.quotes(port.getQuotes(Beans.symbolsRequest(symbols))));
    }

    @Override
    public MarketSummary getMarketSummary() {
        return call(() -> Records.summary(port.getMarketSummary(new Nothing())));
    }

    @Override
    public Order buy(String userId, String symbol, long quantity) {
        return call(() -> Records.order(port.buy(Beans.buyRequest(userId, symbol, quantity))));
    }

    @Override
    public Order sell(String userId, long holdingId) {
        return call(() -> Records.order(port.sell(Beans.userHolding(userId, holdingId))));
    }

    private <T> T call(Supplier<T> operation) {
        return calls.call(() -> {
            try {
                return operation.get();
            } catch (SOAPFaultException failure) {
                throw SoapFaults.refusal(failure, Codes.ALL);
            }
        });
    }
}
