package org.middlemark.brokerage.grpc;

import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import middlemark.brokerage.v1.BrokerageGrpc;
import middlemark.brokerage.v1.BrokerageOuterClass;
import org.middlemark.brokerage.domain.Account;
import org.middlemark.brokerage.domain.Holding;
import org.middlemark.brokerage.domain.MarketSummary;
import org.middlemark.brokerage.domain.Order;
import org.middlemark.brokerage.domain.Profile;
import org.middlemark.brokerage.domain.Quote;
import org.middlemark.brokerage.domain.Registration;
import org.middlemark.brokerage.services.RemoteServices;
import org.middlemark.calls.Calls;
import org.middlemark.values.Money;

/** The services somewhere else, called by gRPC: all calls share one connection. */
final class GrpcClient implements RemoteServices {
    private final ManagedChannel channel;
    private final Calls calls;

    GrpcClient(ManagedChannel channel, Calls calls) {
        this.channel = channel;
        this.calls = calls;
    }

    @Override
    public void ping() {
        call(stub -> stub.ping(BrokerageOuterClass.Nothing.getDefaultInstance()), Function.identity());
    }

    @Override
    public Account login(String userId, String password) {
        BrokerageOuterClass.Credentials request =
                BrokerageOuterClass.Credentials.newBuilder().setUserId(userId).setPassword(password).build();
        return call(stub -> stub.login(request), Records::account);
    }

    @Override
    public void logout(String userId) {
        call(stub -> stub.logout(user(userId)), Function.identity());
    }

    @Override
    public Account register(Registration registration) {
        Profile profile = registration.profile();
        BrokerageOuterClass.Registration request = BrokerageOuterClass.Registration.newBuilder()
                .setUserId(profile.userId())
                .setPassword(registration.password()).setFullName(profile.fullName()).setAddress(profile.address())
                .setEmail(profile.email()).setCreditCard(profile.creditCard())
                .setOpenBalance(Money.text(registration.openBalance())).build();
        return call(stub -> stub.register(request), Records::account);
    }

    @Override
    public Account getAccount(String userId) {
        return call(stub -> stub.getAccount(user(userId)), Records::account);
    }

    @Override
    public Profile getProfile(String userId) {
        return call(stub -> stub.getProfile(user(userId)), Records::profile);
    }

    @Override
    public Profile updateProfile(Profile profile, String newPassword) {
        BrokerageOuterClass.ProfileUpdate request = BrokerageOuterClass.ProfileUpdate.newBuilder()
                .setUserId(profile.userId())
                .setFullName(profile.fullName()).setAddress(profile.address()).setEmail(profile.email())
                .setCreditCard(profile.creditCard()).setPassword(newPassword).build();
        return call(stub -> stub.updateProfile(request), Records::profile);
    }

    @Override
    public List<Holding> getHoldings(String userId) {
        return call(stub -> stub.getHoldings(user(userId)), Records::holdings);
    }

    @Override
    public Holding getHolding(String userId, long holdingId) {
        return call(stub -> stub.getHolding(holding(userId, holdingId)), Records::holding);
    }

    @Override
    public List<Order> getOrders(String userId, long limit) {
        BrokerageOuterClass.OrdersRequest request =
                BrokerageOuterClass.OrdersRequest.newBuilder().setUserId(userId).setLimit(limit).build();
        return call(stub -> stub.getOrders(request), Records::orders);
    }

    @Override
    public List<Order> getClosedOrders(String userId) {
        return call(stub -> stub.getClosedOrders(user(userId)), Records::orders);
    }

    @Override
    public Quote getQuote(String symbol) {
        BrokerageOuterClass.SymbolRequest request = BrokerageOuterClass.SymbolRequest.newBuilder().setSymbol(symbol)
                .build();
        return call(stub -> stub.getQuote(request), Records::quote);
    }

    @Override
    public List<Quote> getQuotes(List<String> symbols) {
        BrokerageOuterClass.SymbolsRequest request = BrokerageOuterClass.SymbolsRequest.newBuilder()
                .addAllSymbols(symbols).build();
        return call(stub -> stub.getQuotes(request), Records::quotes);
    }

    @Override
    public MarketSummary getMarketSummary() {
        return call(stub -> stub.getMarketSummary(BrokerageOuterClass.Nothing.getDefaultInstance()),
                Records::summary);
    }

    @Override
    public Order buy(String userId, String symbol, long quantity) {
        BrokerageOuterClass.BuyRequest request =
                BrokerageOuterClass.BuyRequest.newBuilder().setUserId(userId).setSymbol(symbol).setQuantity(quantity)
                        .build();
        return call(stub -> stub.buy(request), Records::order);
    }

    @Override
    public Order sell(String userId, long holdingId) {
        return call(stub -> stub.sell(holding(userId, holdingId)), Records::order);
    }

    @Override
    public void close() {
        channel.shutdown();
    }

    private static BrokerageOuterClass.User user(String userId) {
        return BrokerageOuterClass.User.newBuilder().setUserId(userId).build();
    }

    private static BrokerageOuterClass.UserHolding holding(String userId, long holdingId) {
        return BrokerageOuterClass.UserHolding.newBuilder().setUserId(userId).setHoldingId(holdingId).build();
    }

    private <A, T> T call(Function<BrokerageGrpc.BrokerageBlockingStub, A> operation, Function<A, T> domain) {
        return calls.call(() -> {
            try {
                return domain.apply(operation.apply(BrokerageGrpc.newBlockingStub(channel)
                        .withDeadlineAfter(Calls.LONGEST_ANSWER.toMillis(), TimeUnit.MILLISECONDS)));
            } catch (StatusRuntimeException failure) {
                throw BrokerageStatus.ALL.refusal(failure);
            }
        });
    }
}
