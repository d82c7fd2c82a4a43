package org.middlemark.brokerage.soap;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
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
import org.middlemark.brokerage.soap.wire.Holdings;
import org.middlemark.brokerage.soap.wire.Orders;
import org.middlemark.brokerage.soap.wire.ProfileUpdate;
import org.middlemark.brokerage.soap.wire.Quotes;
import org.middlemark.values.Money;

/** Makes the domain's records of the beans that are generated from the description. */
final class Records {
    private Records() {
    }

    static Registration registration(org.middlemark.brokerage.soap.wire.Registration bean) {
        return new Registration(
                new Profile(bean.getUserId(), bean.getFullName(), bean.getAddress(), bean.getEmail(),
                        bean.getCreditCard()),
                bean.getPassword(), Optional.ofNullable(bean.getOpenBalance()).map(BigDecimal::toPlainString)
                        .flatMap(Money::sent).orElseThrow(Limits::amount));
    }

    static Profile profile(ProfileUpdate bean) {
        return new Profile(bean.getUserId(), bean.getFullName(), bean.getAddress(), bean.getEmail(),
                bean.getCreditCard());
    }

    static Profile profile(org.middlemark.brokerage.soap.wire.Profile bean) {
        return new Profile(bean.getUserId(), bean.getFullName(), bean.getAddress(), bean.getEmail(),
                bean.getCreditCard());
    }

    static Account account(org.middlemark.brokerage.soap.wire.Account bean) {
        return new Account(bean.getAccountId(), bean.getUserId(), time(bean.getCreationTime()), bean.getOpenBalance(),
                bean.getBalance(), bean.getLoginCount(), bean.getLogoutCount(), time(bean.getLastLogin()));
    }

    static Quote quote(org.middlemark.brokerage.soap.wire.Quote bean) {
        return new Quote(bean.getSymbol(), bean.getCompany(), bean.getPrice(), bean.getOpen(), bean.getLow(),
                bean.getHigh(), bean.getChange(), bean.getVolume());
    }

    static List<Quote> quotes(Quotes bean) {
        return quotes(bean.getQuotes());
    }

    static Holding holding(org.middlemark.brokerage.soap.wire.Holding bean) {
        return new Holding(bean.getHoldingId(), bean.getSymbol(), bean.getQuantity(), bean.getPurchasePrice(),
                time(bean.getPurchaseTime()), bean.getPrice(), bean.isBeingSold());
    }

    static List<Holding> holdings(Holdings bean) {
        return bean.getHoldings().stream().map(Records::holding).toList();
    }

    static Order order(org.middlemark.brokerage.soap.wire.Order bean) {
        return new Order(bean.getOrderId(), OrderType.of(bean.getType().value()),
                OrderStatus.of(bean.getStatus().value()), bean.getSymbol(), bean.getQuantity(), bean.getPrice(),
                bean.getFee(), time(bean.getOpenTime()),
                bean.getCompletionTime() == null ? null : time(bean.getCompletionTime()), bean.getHoldingId());
    }

    static List<Order> orders(Orders bean) {
        return bean.getOrders().stream().map(Records::order).toList();
    }

    static MarketSummary summary(org.middlemark.brokerage.soap.wire.MarketSummary bean) {
        return new MarketSummary(bean.getIndex(), bean.getOpenIndex(), bean.getVolume(), quotes(bean.getGainers()),
                quotes(bean.getLosers()), time(bean.getAsOf()));
    }

    private static List<Quote> quotes(List<org.middlemark.brokerage.soap.wire.Quote> beans) {
        return beans.stream().map(Records::quote).toList();
    }

    private static Instant time(String text) {
        return Instant.parse(text);
    }
}
