package org.middlemark.brokerage.soap;

import jakarta.inject.Inject;
import jakarta.interceptor.Interceptors;
import jakarta.jws.WebService;
import java.util.Objects;
import org.middlemark.brokerage.services.BrokerageServices;
import org.middlemark.brokerage.soap.wire.Account;
import org.middlemark.brokerage.soap.wire.Brokerage;
import org.middlemark.brokerage.soap.wire.BuyRequest;
import org.middlemark.brokerage.soap.wire.Holding;
import org.middlemark.brokerage.soap.wire.Holdings;
import org.middlemark.brokerage.soap.wire.Login;
import org.middlemark.brokerage.soap.wire.MarketSummary;
import org.middlemark.brokerage.soap.wire.Nothing;
import org.middlemark.brokerage.soap.wire.Order;
import org.middlemark.brokerage.soap.wire.Orders;
import org.middlemark.brokerage.soap.wire.OrdersRequest;
import org.middlemark.brokerage.soap.wire.Profile;
import org.middlemark.brokerage.soap.wire.ProfileUpdate;
import org.middlemark.brokerage.soap.wire.Quote;
import org.middlemark.brokerage.soap.wire.Quotes;
import org.middlemark.brokerage.soap.wire.Registration;
import org.middlemark.brokerage.soap.wire.SymbolRequest;
import org.middlemark.brokerage.soap.wire.SymbolsRequest;
import org.middlemark.brokerage.soap.wire.User;
import org.middlemark.brokerage.soap.wire.UserHolding;
import org.middlemark.soap.RefusalsAsFaults;

/** The operations over SOAP (specs/brokerage/brokerage.wsdl). */
@WebService(serviceName = "BrokerageService", portName = "BrokerageSoap",
        targetNamespace = "urn:middlemark:brokerage:1",
        endpointInterface = "org.middlemark.brokerage.soap.wire.Brokerage",
        wsdlLocation = "WEB-INF/wsdl/brokerage.wsdl")
@Interceptors(RefusalsAsFaults.class)
public class BrokerageEndpoint implements Brokerage {
    @Inject
    private BrokerageServices services;

    @Override
    public Nothing ping(Nothing request) {
        services.ping();
        return new Nothing();
    }

    @Override
    public Account login(Login request) {
        return Beans.account(services.login(request.getUserId(), request.getPassword()));
    }

    @Override
    public Nothing logout(User request) {
        services.logout(request.getUserId());
        return new Nothing();
    }

    @Override
    public Account register(Registration request) {
        return Beans.account(services.register(Records.registration(request)));
    }

    @Override
    public Account getAccount(User request) {
        return Beans.account(services.getAccount(request.getUserId()));
    }

    @Override
    public Profile getProfile(User request) {
        return Beans.profile(services.getProfile(request.getUserId()));
    }

    @Override
    public Profile updateProfile(ProfileUpdate request) {
        return Beans.profile(services.updateProfile(Records.profile(request), request.getPassword()));
    }

    @Override
    public Holdings getHoldings(User request) {
        return Beans.holdings(services.getHoldings(request.getUserId()));
    }

    @Override
    public Holding getHolding(UserHolding request) {
        return Beans.holding(services.getHolding(request.getUserId(), request.getHoldingId()));
    }

    @Override
    public Orders getOrders(OrdersRequest request) {
        return Beans.orders(services.getOrders(request.getUserId(),
                Objects.requireNonNullElse(request.getLimit(), 0L)));
    }

    @Override
    public Orders getClosedOrders(User request) {
        return Beans.orders(services.getClosedOrders(request.getUserId()));
    }

    @Override
    public Quote getQuote(SymbolRequest request) {
        return Beans.quote(services.getQuote(request.getSymbol()));
    }

    @Override
    public Quotes getQuotes(SymbolsRequest request) {
        return Beans.quotes(services.getQuotes(request.getSymbols()));
    }

    @Override
    public MarketSummary getMarketSummary(Nothing request) {
        return Beans.summary(services.getMarketSummary());
    }

    @Override
    public Order buy(BuyRequest request) {
        return Beans.order(services.buy(request.getUserId(), request.getSymbol(),
                Objects.requireNonNullElse(request.getQuantity(), 0L)));
    }

    @Override
    public Order sell(UserHolding request) {
        return Beans.order(services.sell(request.getUserId(), request.getHoldingId()));
    }
}
