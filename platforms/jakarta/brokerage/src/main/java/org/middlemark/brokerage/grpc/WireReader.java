package org.middlemark.brokerage.grpc;

import com.google.protobuf.Message;
import com.google.protobuf.Timestamp;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import middlemark.brokerage.v1.BrokerageOuterClass;
import org.middlemark.brokerage.domain.Account;
import org.middlemark.brokerage.domain.Holding;
import org.middlemark.brokerage.domain.MarketSummary;
import org.middlemark.brokerage.domain.Money;
import org.middlemark.brokerage.domain.Order;
import org.middlemark.brokerage.domain.OrderStatus;
import org.middlemark.brokerage.domain.OrderType;
import org.middlemark.brokerage.domain.Profile;
import org.middlemark.brokerage.domain.Quote;
import org.middlemark.brokerage.messages.WrongAnswer;

/** Makes the domain's records of the answers' messages; one that the description does not allow is a WrongAnswer. */
final class WireReader {
    private static final int NANOS_OF_MICRO = 1000;

    private WireReader() {
    }

    static Account account(BrokerageOuterClass.Account message) {
        return new Account(id(message.getAccountId()), message.getUserId(), time(message.getCreationTime()),
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

    static List<Quote> quotes(List<BrokerageOuterClass.Quote> messages) {
        return messages.stream().map(WireReader::quote).toList();
    }

    static Holding holding(BrokerageOuterClass.Holding message) {
        return new Holding(id(message.getHoldingId()), message.getSymbol(), message.getQuantity(),
                amount(message.getPurchasePrice()), time(message.getPurchaseTime()), amount(message.getPrice()),
                message.getBeingSold());
    }

    static List<Holding> holdings(BrokerageOuterClass.Holdings message) {
        return message.getHoldingsList().stream().map(WireReader::holding).toList();
    }

    static Order order(BrokerageOuterClass.Order message) {
        try {
            return new Order(id(message.getOrderId()), OrderType.of(message.getType()),
                    OrderStatus.of(message.getStatus()),
                    message.getSymbol(), message.getQuantity(), amount(message.getPrice()), amount(message.getFee()),
                    time(message.getOpenTime()), message.hasCompletionTime() ? time(message.getCompletionTime()) : null,
                    message.hasHoldingId() ? id(message.getHoldingId()) : null);
        } catch (IllegalArgumentException wrong) {
            throw new WrongAnswer("type or status of an order", wrong);
        }
    }

    static List<Order> orders(BrokerageOuterClass.Orders message) {
        return message.getOrdersList().stream().map(WireReader::order).toList();
    }

    static MarketSummary summary(BrokerageOuterClass.MarketSummary message) {
        return new MarketSummary(amount(message.getIndex()), amount(message.getOpenIndex()), message.getVolume(),
                quotes(message.getGainersList()), quotes(message.getLosersList()), time(message.getAsOf()));
    }

    private static BigDecimal amount(String text) {
        return Money.sent(text).orElseThrow(() -> new WrongAnswer("'" + text + "' is no amount"));
    }

    /** An id: 0 is one that is missing. */
    private static long id(long id) {
        if (id < 1) {
            throw new WrongAnswer(id + " is no id");
        }
        return id;
    }

    private static Instant time(Timestamp time) {
        if (isMissing(time) || time.getNanos() % NANOS_OF_MICRO != 0) {
            throw new WrongAnswer("a time is missing or has not whole microseconds");
        }
        return Instant.ofEpochSecond(time.getSeconds(), time.getNanos());
    }

    private static boolean isMissing(Message message) {
        return message.equals(message.getDefaultInstanceForType());
    }
}
