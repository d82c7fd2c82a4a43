package org.middlemark.brokerage.grpc;

import io.grpc.stub.StreamObserver;
import middlemark.brokerage.v1.BrokerageGrpc;
import middlemark.brokerage.v1.BrokerageOuterClass.Account;
import middlemark.brokerage.v1.BrokerageOuterClass.BuyRequest;
import middlemark.brokerage.v1.BrokerageOuterClass.Credentials;
import middlemark.brokerage.v1.BrokerageOuterClass.Holding;
import middlemark.brokerage.v1.BrokerageOuterClass.Holdings;
import middlemark.brokerage.v1.BrokerageOuterClass.MarketSummary;
import middlemark.brokerage.v1.BrokerageOuterClass.Nothing;
import middlemark.brokerage.v1.BrokerageOuterClass.Order;
import middlemark.brokerage.v1.BrokerageOuterClass.Orders;
import middlemark.brokerage.v1.BrokerageOuterClass.OrdersRequest;
import middlemark.brokerage.v1.BrokerageOuterClass.Profile;
import middlemark.brokerage.v1.BrokerageOuterClass.ProfileUpdate;
import middlemark.brokerage.v1.BrokerageOuterClass.Quote;
import middlemark.brokerage.v1.BrokerageOuterClass.Quotes;
import middlemark.brokerage.v1.BrokerageOuterClass.Registration;
import middlemark.brokerage.v1.BrokerageOuterClass.SymbolRequest;
import middlemark.brokerage.v1.BrokerageOuterClass.SymbolsRequest;
import middlemark.brokerage.v1.BrokerageOuterClass.User;
import middlemark.brokerage.v1.BrokerageOuterClass.UserHolding;
import org.middlemark.brokerage.services.BrokerageServices;

/** The operations over gRPC (specs/brokerage/brokerage.proto). A RefusalInterceptor answers what they throw. */
final class BrokerageService extends BrokerageGrpc.BrokerageImplBase {
    private final BrokerageServices services;

    BrokerageService(BrokerageServices services) {
        this.services = services;
    }

    @Override
    public void ping(Nothing request, StreamObserver<Nothing> caller) {
        services.ping();
        answer(caller, Nothing.getDefaultInstance());
    }

    @Override
    public void login(Credentials request, StreamObserver<Account> caller) {
        answer(caller, Messages.account(services.login(request.getUserId(), request.getPassword())));
    }

    @Override
    public void logout(User request, StreamObserver<Nothing> caller) {
        services.logout(request.getUserId());
        answer(caller, Nothing.getDefaultInstance());
    }

    @Override
    public void register(Registration request, StreamObserver<Account> caller) {
        answer(caller, Messages.account(services.register(Records.registration(request))));
    }

    @Override
    public void getAccount(User request, StreamObserver<Account> caller) {
        answer(caller, Messages.account(services.getAccount(request.getUserId())));
    }

    @Override
    public void getProfile(User request, StreamObserver<Profile> caller) {
        answer(caller, Messages.profile(services.getProfile(request.getUserId())));
    }

    @Override
    public void updateProfile(ProfileUpdate request, StreamObserver<Profile> caller) {
        answer(caller, Messages.profile(services.updateProfile(Records.profile(request), request.getPassword())));
    }

    @Override
    public void getHoldings(User request, StreamObserver<Holdings> caller) {
        answer(caller, Messages.holdings(services.getHoldings(request.getUserId())));
    }

    @Override
    public void getHolding(UserHolding request, StreamObserver<Holding> caller) {
        answer(caller, Messages.holding(services.getHolding(request.getUserId(), request.getHoldingId())));
    }

    @Override
    public void getOrders(OrdersRequest request, StreamObserver<Orders> caller) {
        answer(caller, Messages.orders(services.getOrders(request.getUserId(), request.getLimit())));
    }

    @Override
    public void getClosedOrders(User request, StreamObserver<Orders> caller) {
        answer(caller, Messages.orders(services.getClosedOrders(request.getUserId())));
    }

    @Override
    public void getQuote(SymbolRequest request, StreamObserver<Quote> caller) {
        answer(caller, Messages.quote(services.getQuote(request.getSymbol())));
    }

    @Override
    public void getQuotes(SymbolsRequest request, StreamObserver<Quotes> caller) {
        answer(caller, Messages.quotes(services.getQuotes(request.getSymbolsList())));
    }

    @Override
    public void getMarketSummary(Nothing request, StreamObserver<MarketSummary> caller) {
        answer(caller, Messages.summary(services.getMarketSummary()));
    }

    @Override
    public void buy(BuyRequest request, StreamObserver<Order> caller) {
        answer(caller, Messages.order(services.buy(request.getUserId(), request.getSymbol(), request.getQuantity())));
    }

    @Override
    public void sell(UserHolding request, StreamObserver<Order> caller) {
        answer(caller, Messages.order(services.sell(request.getUserId(), request.getHoldingId())));
    }

    private static <T> void answer(StreamObserver<T> caller, T message) {
        caller.onNext(message);
        caller.onCompleted();
    }
}
