package org.middlemark.brokerage.grpc;

import com.google.protobuf.Timestamp;
import java.time.Instant;
import java.util.List;
import middlemark.brokerage.v1.BrokerageOuterClass;
import org.middlemark.brokerage.domain.Account;
import org.middlemark.brokerage.domain.Holding;
import org.middlemark.brokerage.domain.MarketSummary;
import org.middlemark.brokerage.domain.Order;
import org.middlemark.brokerage.domain.Profile;
import org.middlemark.brokerage.domain.Quote;
import org.middlemark.values.Money;

/** Makes the answers' messages of the domain's records. */
final class Messages {
    private Messages() {
    }

    static BrokerageOuterClass.Account account(Account account) {
        return BrokerageOuterClass.Account.newBuilder().setAccountId(account.accountId()).setUserId(account.userId())
                .setCreationTime(time(account.creationTime())).setOpenBalance(Money.text(account.openBalance()))
                .setBalance(Money.text(account.balance())).setLoginCount(account.loginCount())
                .setLogoutCount(account.logoutCount()).setLastLogin(time(account.lastLogin())).build();
    }

    static BrokerageOuterClass.Profile profile(Profile profile) {
        return BrokerageOuterClass.Profile.newBuilder().setUserId(profile.userId()).setFullName(profile.fullName())
                .setAddress(profile.address()).setEmail(profile.email()).setCreditCard(profile.creditCard()).build();
    }

    static BrokerageOuterClass.Quote quote(Quote quote) {
        return BrokerageOuterClass.Quote.newBuilder().setSymbol(quote.symbol()).setCompany(quote.company())
                .setPrice(Money.text(quote.price())).setOpen(Money.text(quote.open())).setLow(Money.text(quote.low()))
                .setHigh(Money.text(quote.high())).setChange(Money.text(quote.change())).setVolume(quote.volume())
                .build();
    }

    static BrokerageOuterClass.Quotes quotes(List<Quote> quotes) {
        return BrokerageOuterClass.Quotes.newBuilder()
                .addAllQuotes(quotes.stream().map(Messages::quote).toList())
                .build();
    }

    static BrokerageOuterClass.Holding holding(Holding holding) {
        return BrokerageOuterClass.Holding.newBuilder().setHoldingId(holding.holdingId()).setSymbol(holding.symbol())
                .setQuantity(holding.quantity()).setPurchasePrice(Money.text(holding.purchasePrice()))
                .setPurchaseTime(time(holding.purchaseTime())).setPrice(Money.text(holding.price()))
                .setBeingSold(holding.beingSold()).build();
    }

    static BrokerageOuterClass.Holdings holdings(List<Holding> holdings) {
        return BrokerageOuterClass.Holdings.newBuilder()
                .addAllHoldings(holdings.stream().map(Messages::holding).toList())
                .build();
    }

    static BrokerageOuterClass.Order order(Order order) {
        BrokerageOuterClass.Order.Builder message = BrokerageOuterClass.Order.newBuilder().setOrderId(order.orderId())
                .setType(order.type().word()).setStatus(order.status().word()).setSymbol(order.symbol())
                .setQuantity(order.quantity()).setPrice(Money.text(order.price())).setFee(Money.text(order.fee()))
                .setTotal(Money.text(order.total())).setOpenTime(time(order.openTime()));
        if (order.completionTime() != null) {
            message.setCompletionTime(time(order.completionTime()));
        }
        if (order.holdingId() != null) {
            message.setHoldingId(order.holdingId());
        }
        return message.build();
    }

    static BrokerageOuterClass.Orders orders(List<Order> orders) {
        return BrokerageOuterClass.Orders.newBuilder()
                .addAllOrders(orders.stream().map(Messages::order).toList())
                .build();
    }

    static BrokerageOuterClass.MarketSummary summary(MarketSummary summary) {
        return BrokerageOuterClass.MarketSummary.newBuilder().setIndex(Money.text(summary.index()))
                .setOpenIndex(Money.text(summary.openIndex())).setVolume(summary.volume())
                .addAllGainers(summary.gainers().stream().map(Messages::quote).toList())
                .addAllLosers(summary.losers().stream().map(Messages::quote).toList()).setAsOf(time(summary.asOf()))
                .build();
    }

    private static Timestamp time(Instant time) {
        return Timestamp.newBuilder().setSeconds(time.getEpochSecond()).setNanos(time.getNano()).build();
    }
}
