package org.middlemark.brokerage.grpc;

import com.google.protobuf.Timestamp;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import middlemark.brokerage.v1.BrokerageOuterClass;
import org.middlemark.brokerage.domain.Account;
import org.middlemark.brokerage.domain.Holding;
import org.middlemark.brokerage.domain.Limits;
import org.middlemark.brokerage.domain.MarketSummary;
import org.middlemark.brokerage.domain.Order;
import org.middlemark.brokerage.domain.OrderStatus;
import org.middlemark.brokerage.domain.OrderType;
import org.middlemark.brokerage.domain.Profile;
import org.middlemark.brokerage.domain.Quote;
import org.middlemark.brokerage.domain.Registration;
import org.middlemark.values.Money;

/** Makes the domain's records of messages; IllegalArgumentException for a value that cannot be read. */
final class Records {
    private Records() {
    }

    static Registration registration(BrokerageOuterClass.Registration message) {
        return new Registration(
                new Profile(message.getUserId(), message.getFullName(), message.getAddress(), message.getEmail(),
                        message.getCreditCard()),
                message.getPassword(), Money.sent(message.getOpenBalance()).orElseThrow(Limits::amount));
    }

    static Profile profile(BrokerageOuterClass.ProfileUpdate message) {
        return new Profile(message.getUserId(), message.getFullName(), message.getAddress(), message.getEmail(),
                message.getCreditCard());
    }

    static Account account(BrokerageOuterClass.Account message) {
        return new Account(message.getAccountId(), message.getUserId(), time(message.getCreationTime()),
                amount(message.getOpenBalance()), amount(message.getBalance()), message.getLoginCount(),
                message.getLogoutCount(), time(message.getLastLogin()));
    }

    static Profile profile(BrokerageOuterClass.Profile message) {
        return new Profile(message.getUserId(), message.getFullName(), message.getAddress(), message.getEmail(),
                message.getCreditCard());
    }

    static Quote quote(BrokerageOuterClass.Quote message) {
        return new Quote(message.getSymbol(), message.getCompany(), amount(message.getPrice()),
                amount(message.getOpen()),
                amount(message.getLow()), amount(message.getHigh()), amount(message.getChange()), message.getVolume());
    }

    static List<Quote> quotes(BrokerageOuterClass.Quotes message) {
        return quotes(message.getQuotesList());
    }

    private static List<Quote> quotes(List<BrokerageOuterClass.Quote> messages) {
        return messages.stream().map(Records::quote).toList();
    }

    static Holding holding(BrokerageOuterClass.Holding message) {
        return new Holding(message.getHoldingId(), message.getSymbol(), message.getQuantity(),
                amount(message.getPurchasePrice()), time(message.getPurchaseTime()), amount(message.getPrice()),
                message.getBeingSold());
    }

    static List<Holding> holdings(BrokerageOuterClass.Holdings message) {
        return message.getHoldingsList().stream().map(Records::holding).toList();
    }

    static Order order(BrokerageOuterClass.Order message) {
        return new Order(message.getOrderId(), OrderType.of(message.getType()), OrderStatus.of(message.getStatus()),
                message.getSymbol(), message.getQuantity(), amount(message.getPrice()), amount(message.getFee()),
                time(message.getOpenTime()), message.hasCompletionTime() ? time(message.getCompletionTime()) : null,
                message.hasHoldingId() ? message.getHoldingId() : null);
    }

    static List<Order> orders(BrokerageOuterClass.Orders message) {
        return message.getOrdersList().stream().map(Records::order).toList();
    }

    static MarketSummary summary(BrokerageOuterClass.MarketSummary message) {
        return new MarketSummary(amount(message.getIndex()), amount(message.getOpenIndex()), message.getVolume(),
                quotes(message.getGainersList()), quotes(message.getLosersList()), time(message.getAsOf()));
    }

    private static BigDecimal amount(String text) {
        return new BigDecimal(text);
    }

    private static Instant time(Timestamp time) {
        return Instant.ofEpochSecond(time.getSeconds(), time.getNanos());
    }
}
