package org.middlemark.brokerage.grpc;

import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import middlemark.brokerage.v1.BrokerageGrpc;
import middlemark.brokerage.v1.BrokerageOuterClass;
import org.middlemark.brokerage.domain.Account;
import org.middlemark.brokerage.domain.Code;
import org.middlemark.brokerage.domain.Holding;
import org.middlemark.brokerage.domain.MarketSummary;
import org.middlemark.brokerage.domain.Money;
import org.middlemark.brokerage.domain.Order;
import org.middlemark.brokerage.domain.Profile;
import org.middlemark.brokerage.domain.Quote;
import org.middlemark.brokerage.domain.Refusal;
import org.middlemark.brokerage.domain.Registration;
import org.middlemark.brokerage.messages.CallLimit;
import org.middlemark.brokerage.messages.WrongAnswer;
import org.middlemark.brokerage.services.RemoteServices;
import org.middlemark.brokerage.settings.ServicesAddress;

/** The services somewhere else, called by gRPC: the calls take turns on a few connections. */
final class GrpcClient implements RemoteServices {
    private static final Logger LOG = Logger.getLogger(GrpcClient.class.getName());

    private final List<ManagedChannel> channels;
    private final AtomicInteger calls = new AtomicInteger();
    private final CallLimit limit;

    GrpcClient(ServicesAddress address, int calls) {
        channels = Stream.generate(() -> channel(address)).limit(GrpcBinding.channels(calls)).toList();
        limit = new CallLimit(calls);
    }

    private static ManagedChannel channel(ServicesAddress address) {
        return NettyChannelBuilder.forAddress(address.host(), address.port(), InsecureChannelCredentials.create())
                .maxInboundMessageSize(GrpcBinding.MOST_BYTES_OF_AN_ANSWER).disableRetry().build();
    }

    @Override
    public void ping() {
        call(stub -> stub.ping(BrokerageOuterClass.Nothing.getDefaultInstance()), Function.identity());
    }

    @Override
    public Account login(String userId, String password) {
        BrokerageOuterClass.Credentials request =
                BrokerageOuterClass.Credentials.newBuilder().setUserId(userId).setPassword(password).build();
        return call(stub -> stub.login(request), WireReader::account);
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
        return call(stub -> stub.register(request), WireReader::account);
    }

    @Override
    public Account getAccount(String userId) {
        return call(stub -> stub.getAccount(user(userId)), WireReader::account);
    }

    @Override
    public Profile getProfile(String userId) {
        return call(stub -> stub.getProfile(user(userId)), WireReader::profile);
    }

    @Override
    public Profile updateProfile(Profile profile, String newPassword) {
        BrokerageOuterClass.ProfileUpdate request = BrokerageOuterClass.ProfileUpdate.newBuilder()
                .setUserId(profile.userId())
                .setFullName(profile.fullName()).setAddress(profile.address()).setEmail(profile.email())
                .setCreditCard(profile.creditCard()).setPassword(newPassword).build();
        return call(stub -> stub.updateProfile(request), WireReader::profile);
    }

    @Override
    public List<Holding> getHoldings(String userId) {
        return call(stub -> stub.getHoldings(user(userId)), WireReader::holdings);
    }

    @Override
    public Holding getHolding(String userId, long holdingId) {
        return call(stub -> stub.getHolding(holding(userId, holdingId)), WireReader::holding);
    }

    @Override
    public List<Order> getOrders(String userId, long limit) {
        BrokerageOuterClass.OrdersRequest request =
                BrokerageOuterClass.OrdersRequest.newBuilder().setUserId(userId).setLimit(limit).build();
        return call(stub -> stub.getOrders(request), WireReader::orders);
    }

    @Override
    public List<Order> getClosedOrders(String userId) {
        return call(stub -> stub.getClosedOrders(user(userId)), WireReader::orders);
    }

    @Override
    public Quote getQuote(String symbol) {
        BrokerageOuterClass.SymbolRequest request = BrokerageOuterClass.SymbolRequest.newBuilder().setSymbol(symbol)
                .build();
        return call(stub -> stub.getQuote(request), WireReader::quote);
    }

    @Override
    public List<Quote> getQuotes(List<String> symbols) {
        BrokerageOuterClass.SymbolsRequest request = BrokerageOuterClass.SymbolsRequest.newBuilder()
                .addAllSymbols(symbols).build();
        return call(stub -> stub.getQuotes(request), answer -> WireReader.quotes(answer.getQuotesList()));
    }

    @Override
    public MarketSummary getMarketSummary() {
        return call(stub -> stub.getMarketSummary(BrokerageOuterClass.Nothing.getDefaultInstance()),
                WireReader::summary);
    }

    @Override
    public Order buy(String userId, String symbol, long quantity) {
        BrokerageOuterClass.BuyRequest request =
                BrokerageOuterClass.BuyRequest.newBuilder().setUserId(userId).setSymbol(symbol).setQuantity(quantity)
                        .build();
        return call(stub -> stub.buy(request), WireReader::order);
    }

    @Override
    public Order sell(String userId, long holdingId) {
        return call(stub -> stub.sell(holding(userId, holdingId)), WireReader::order);
    }

    @Override
    public void close() {
        channels.forEach(ManagedChannel::shutdown);
    }

    private static BrokerageOuterClass.User user(String userId) {
        return BrokerageOuterClass.User.newBuilder().setUserId(userId).build();
    }

    private static BrokerageOuterClass.UserHolding holding(String userId, long holdingId) {
        return BrokerageOuterClass.UserHolding.newBuilder().setUserId(userId).setHoldingId(holdingId).build();
    }

    private <A, T> T call(Function<BrokerageGrpc.BrokerageBlockingStub, A> operation, Function<A, T> domain) {
        try {
            return domain.apply(limit.within(nanos -> operation.apply(
                    BrokerageGrpc.newBlockingStub(next()).withDeadlineAfter(nanos, TimeUnit.NANOSECONDS))));
        } catch (StatusRuntimeException refused) {
            throw refusal(refused);
        } catch (IOException | WrongAnswer none) {
            throw unavailable(none);
        }
    }

    private ManagedChannel next() {
        return channels.get(Math.floorMod(calls.getAndIncrement(), channels.size()));
    }

    private static Refusal refusal(StatusRuntimeException refused) {
        String word = refused.getTrailers() == null ? null : refused.getTrailers().get(GrpcStatus.CODE);
        Status status = refused.getStatus();
        Optional<Code> code = Code.of(word == null ? "" : word);
        if (code.isEmpty() || GrpcStatus.of(code.get()).getCode() != status.getCode()
                || status.getDescription() == null) {
            return unavailable(refused);
        }
        return new Refusal(code.get(), status.getDescription());
    }

    private static Refusal unavailable(Exception failure) {
        LOG.log(Level.WARNING, "No answer of the services over gRPC: {0}", failure.toString());
        return Refusal.unavailable(failure);
    }
}
