package org.middlemark.brokerage.soap;

import java.util.List;
import org.middlemark.brokerage.domain.WrittenTimes;
import org.middlemark.brokerage.soap.wire.Account;
import org.middlemark.brokerage.soap.wire.BuyRequest;
import org.middlemark.brokerage.soap.wire.Holding;
import org.middlemark.brokerage.soap.wire.Holdings;
import org.middlemark.brokerage.soap.wire.Login;
import org.middlemark.brokerage.soap.wire.MarketSummary;
import org.middlemark.brokerage.soap.wire.Order;
import org.middlemark.brokerage.soap.wire.OrderStatus;
import org.middlemark.brokerage.soap.wire.OrderType;
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

/** Makes the beans that are generated from the description of the domain's records. */
final class Beans {
    private Beans() {
    }

    static User user(String userId) {
        User bean = new User();
        bean.setUserId(userId);
        return bean;
    }

    static Login login(String userId, String password) {
        Login bean = new Login();
        bean.setUserId(userId);
        bean.setPassword(password);
        return bean;
    }

    static Registration registration(org.middlemark.brokerage.domain.Registration registration) {
        Registration bean = new Registration();
        bean.setUserId(registration.profile().userId());
        bean.setPassword(registration.password());
        bean.setFullName(registration.profile().fullName());
        bean.setAddress(registration.profile().address());
        bean.setEmail(registration.profile().email());
        bean.setCreditCard(registration.profile().creditCard());
        bean.setOpenBalance(registration.openBalance());
        return bean;
    }

    static ProfileUpdate profileUpdate(org.middlemark.brokerage.domain.Profile profile, String newPassword) {
        ProfileUpdate bean = new ProfileUpdate();
        bean.setUserId(profile.userId());
        bean.setFullName(profile.fullName());
        bean.setAddress(profile.address());
        bean.setEmail(profile.email());
        bean.setCreditCard(profile.creditCard());
        bean.setPassword(newPassword);
        return bean;
    }

    static UserHolding userHolding(String userId, long holdingId) {
        UserHolding bean = new UserHolding();
        bean.setUserId(userId);
        bean.setHoldingId(holdingId);
        return bean;
    }

    static OrdersRequest ordersRequest(String userId, long limit) {
        OrdersRequest bean = new OrdersRequest();
        bean.setUserId(userId);
        bean.setLimit(limit);
        return bean;
    }

    static SymbolRequest symbolRequest(String symbol) {
        SymbolRequest bean = new SymbolRequest();
        bean.setSymbol(symbol);
        return bean;
    }

    static SymbolsRequest symbolsRequest(List<String> symbols) {
        SymbolsRequest bean = new SymbolsRequest();
        bean.getSymbols().addAll(symbols);
        return bean;
    }

    static BuyRequest buyRequest(String userId, String symbol, long quantity) {
        BuyRequest bean = new BuyRequest();
        bean.setUserId(userId);
        bean.setSymbol(symbol);
        bean.setQuantity(quantity);
        return bean;
    }

    static Account account(org.middlemark.brokerage.domain.Account account) {
        Account bean = new Account();
        bean.setAccountId(account.accountId());
        bean.setUserId(account.userId());
        bean.setCreationTime(WrittenTimes.text(account.creationTime()));
        bean.setOpenBalance(account.openBalance());
        bean.setBalance(account.balance());
        bean.setLoginCount(account.loginCount());
        bean.setLogoutCount(account.logoutCount());
        bean.setLastLogin(WrittenTimes.text(account.lastLogin()));
        return bean;
    }

    static Profile profile(org.middlemark.brokerage.domain.Profile profile) {
        Profile bean = new Profile();
        bean.setUserId(profile.userId());
        bean.setFullName(profile.fullName());
        bean.setAddress(profile.address());
        bean.setEmail(profile.email());
        bean.setCreditCard(profile.creditCard());
        return bean;
    }

    static Quote quote(org.middlemark.brokerage.domain.Quote quote) {
        Quote bean = new Quote();
        bean.setSymbol(quote.symbol());
        bean.setCompany(quote.company());
        bean.setPrice(quote.price());
        bean.setOpen(quote.open());
        bean.setLow(quote.low());
        bean.setHigh(quote.high());
        bean.setChange(quote.change());
        bean.setVolume(quote.volume());
        return bean;
    }

    static Quotes quotes(List<org.middlemark.brokerage.domain.Quote> quotes) {
        Quotes bean = new Quotes();
        quotes.forEach(quote -> bean.getQuotes().add(quote(quote)));
        return bean;
    }

    static Holding holding(org.middlemark.brokerage.domain.Holding holding) {
        Holding bean = new Holding();
        bean.setHoldingId(holding.holdingId());
        bean.setSymbol(holding.symbol());
        bean.setQuantity(holding.quantity());
        bean.setPurchasePrice(holding.purchasePrice());
        bean.setPurchaseTime(WrittenTimes.text(holding.purchaseTime()));
        bean.setPrice(holding.price());
        bean.setBeingSold(holding.beingSold());
        return bean;
    }

    static Holdings holdings(List<org.middlemark.brokerage.domain.Holding> holdings) {
        Holdings bean = new Holdings();
        holdings.forEach(holding -> bean.getHoldings().add(holding(holding)));
        return bean;
    }

    static Order order(org.middlemark.brokerage.domain.Order order) {
        Order bean = new Order();
        bean.setOrderId(order.orderId());
        bean.setType(OrderType.fromValue(order.type().word()));
        bean.setStatus(OrderStatus.fromValue(order.status().word()));
        bean.setSymbol(order.symbol());
        bean.setQuantity(order.quantity());
        bean.setPrice(order.price());
        bean.setFee(order.fee());
        bean.setTotal(order.total());
        bean.setOpenTime(WrittenTimes.text(order.openTime()));
        bean.setCompletionTime(order.completionTime() == null ? null : WrittenTimes.text(order.completionTime()));
        bean.setHoldingId(order.holdingId());
        return bean;
    }

    static Orders orders(List<org.middlemark.brokerage.domain.Order> orders) {
        Orders bean = new Orders();
        orders.forEach(order -> bean.getOrders().add(order(order)));
        return bean;
    }

    static MarketSummary summary(org.middlemark.brokerage.domain.MarketSummary summary) {
        MarketSummary bean = new MarketSummary();
        bean.setIndex(summary.index());
        bean.setOpenIndex(summary.openIndex());
        bean.setVolume(summary.volume());
        summary.gainers().forEach(quote -> bean.getGainers().add(quote(quote)));
        summary.losers().forEach(quote -> bean.getLosers().add(quote(quote)));
        bean.setAsOf(WrittenTimes.text(summary.asOf()));
        return bean;
    }
}
