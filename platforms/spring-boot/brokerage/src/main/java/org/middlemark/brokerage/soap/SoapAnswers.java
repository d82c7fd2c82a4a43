package org.middlemark.brokerage.soap;

import org.middlemark.brokerage.accounts.Account;
import org.middlemark.brokerage.accounts.Profile;
import org.middlemark.brokerage.operations.Nothing;
import org.middlemark.brokerage.orders.Holding;
import org.middlemark.brokerage.orders.Holdings;
import org.middlemark.brokerage.orders.Order;
import org.middlemark.brokerage.orders.OrderStatus;
import org.middlemark.brokerage.orders.OrderType;
import org.middlemark.brokerage.orders.Orders;
import org.middlemark.brokerage.quotes.MarketSummary;
import org.middlemark.brokerage.quotes.Quote;
import org.middlemark.brokerage.quotes.Quotes;
import org.middlemark.brokerage.soap.wsdl.AccountXml;
import org.middlemark.brokerage.soap.wsdl.HoldingXml;
import org.middlemark.brokerage.soap.wsdl.HoldingsXml;
import org.middlemark.brokerage.soap.wsdl.MarketSummaryXml;
import org.middlemark.brokerage.soap.wsdl.NothingXml;
import org.middlemark.brokerage.soap.wsdl.OrderStatusXml;
import org.middlemark.brokerage.soap.wsdl.OrderTypeXml;
import org.middlemark.brokerage.soap.wsdl.OrderXml;
import org.middlemark.brokerage.soap.wsdl.OrdersXml;
import org.middlemark.brokerage.soap.wsdl.ProfileXml;
import org.middlemark.brokerage.soap.wsdl.QuoteXml;
import org.middlemark.brokerage.soap.wsdl.QuotesXml;
import org.springframework.oxm.UnmarshallingFailureException;

/** Answers as the classes generated from the WSDL have them, and back. */
final class SoapAnswers {

    private SoapAnswers() {
    }

    static NothingXml xml(Nothing answer) {
        return new NothingXml();
    }

    static AccountXml xml(Account account) {
        AccountXml xml = new AccountXml();
        xml.setAccountId(account.accountId());
        xml.setUserId(account.userId());
        xml.setCreationTime(account.creationTime());
        xml.setOpenBalance(account.openBalance());
        xml.setBalance(account.balance());
        xml.setLoginCount(account.loginCount());
        xml.setLogoutCount(account.logoutCount());
        xml.setLastLogin(account.lastLogin());
        return xml;
    }

    static ProfileXml xml(Profile profile) {
        ProfileXml xml = new ProfileXml();
        xml.setUserId(profile.userId());
        xml.setFullName(profile.fullName());
        xml.setAddress(profile.address());
        xml.setEmail(profile.email());
        xml.setCreditCard(profile.creditCard());
        return xml;
    }

    static QuoteXml xml(Quote quote) {
        QuoteXml xml = new QuoteXml();
        xml.setSymbol(quote.symbol());
        xml.setCompany(quote.company());
        xml.setPrice(quote.price());
        xml.setOpen(quote.open());
        xml.setLow(quote.low());
        xml.setHigh(quote.high());
        xml.setChange(quote.change());
        xml.setVolume(quote.volume());
        return xml;
    }

    static QuotesXml xml(Quotes quotes) {
        QuotesXml xml = new QuotesXml();
        quotes.quotes().forEach(quote -> xml.getQuotes().add(xml(quote)));
        return xml;
    }

    static HoldingXml xml(Holding holding) {
        HoldingXml xml = new HoldingXml();
        xml.setHoldingId(holding.holdingId());
        xml.setSymbol(holding.symbol());
        xml.setQuantity(holding.quantity());
        xml.setPurchasePrice(holding.purchasePrice());
        xml.setPurchaseTime(holding.purchaseTime());
        xml.setPrice(holding.price());
        xml.setBeingSold(holding.beingSold());
        return xml;
    }

    static HoldingsXml xml(Holdings holdings) {
        HoldingsXml xml = new HoldingsXml();
        holdings.holdings().forEach(holding -> xml.getHoldings().add(xml(holding)));
        return xml;
    }

    static OrderXml xml(Order order) {
        OrderXml xml = new OrderXml();
        xml.setOrderId(order.orderId());
        xml.setType(OrderTypeXml.fromValue(order.type().word()));
        xml.setStatus(OrderStatusXml.fromValue(order.status().word()));
        xml.setSymbol(order.symbol());
        xml.setQuantity(order.quantity());
        xml.setPrice(order.price());
        xml.setFee(order.fee());
        xml.setTotal(order.total());
        xml.setOpenTime(order.openTime());
        xml.setCompletionTime(order.completionTime());
        xml.setHoldingId(order.holdingId());
        return xml;
    }

    static OrdersXml xml(Orders orders) {
        OrdersXml xml = new OrdersXml();
        orders.orders().forEach(order -> xml.getOrders().add(xml(order)));
        return xml;
    }

    static MarketSummaryXml xml(MarketSummary summary) {
        MarketSummaryXml xml = new MarketSummaryXml();
        xml.setIndex(summary.index());
        xml.setOpenIndex(summary.openIndex());
        xml.setVolume(summary.volume());
        summary.gainers().forEach(quote -> xml.getGainers().add(xml(quote)));
        summary.losers().forEach(quote -> xml.getLosers().add(xml(quote)));
        xml.setAsOf(summary.asOf());
        return xml;
    }

    static Nothing answer(NothingXml xml) {
        return new Nothing();
    }

    static Account answer(AccountXml xml) {
        return new Account(present(xml.getAccountId()), xml.getUserId(), xml.getCreationTime(), xml.getOpenBalance(), xml.getBalance(),
                present(xml.getLoginCount()), present(xml.getLogoutCount()), xml.getLastLogin());
    }

    static Profile answer(ProfileXml xml) {
        return new Profile(xml.getUserId(), xml.getFullName(), xml.getAddress(), xml.getEmail(), xml.getCreditCard());
    }

    static Quote answer(QuoteXml xml) {
        return new Quote(xml.getSymbol(), xml.getCompany(), xml.getPrice(), xml.getOpen(), xml.getLow(), xml.getHigh(), xml.getChange(),
                present(xml.getVolume()));
    }

    static Quotes answer(QuotesXml xml) {
        return new Quotes(xml.getQuotes().stream().map(SoapAnswers::answer).toList());
    }

    static Holding answer(HoldingXml xml) {
        return new Holding(present(xml.getHoldingId()), xml.getSymbol(), present(xml.getQuantity()), xml.getPurchasePrice(),
                xml.getPurchaseTime(), xml.getPrice(), xml.isBeingSold());
    }

    static Holdings answer(HoldingsXml xml) {
        return new Holdings(xml.getHoldings().stream().map(SoapAnswers::answer).toList());
    }

    static Order answer(OrderXml xml) {
        return new Order(present(xml.getOrderId()), OrderType.of(present(xml.getType()).value()),
                OrderStatus.of(present(xml.getStatus()).value()), xml.getSymbol(), present(xml.getQuantity()), xml.getPrice(), xml.getFee(),
                xml.getTotal(), xml.getOpenTime(), xml.getCompletionTime(), xml.getHoldingId());
    }

    static Orders answer(OrdersXml xml) {
        return new Orders(xml.getOrders().stream().map(SoapAnswers::answer).toList());
    }

    static MarketSummary answer(MarketSummaryXml xml) {
        return new MarketSummary(xml.getIndex(), xml.getOpenIndex(), present(xml.getVolume()),
                xml.getGainers().stream().map(SoapAnswers::answer).toList(), xml.getLosers().stream().map(SoapAnswers::answer).toList(),
                xml.getAsOf());
    }

    /** Refuses an answer that lacks an element it must have, which JAXB leaves null. */
    private static <T> T present(T element) {
        if (element == null) {
            throw new UnmarshallingFailureException("An element of the answer is missing");
        }
        return element;
    }
}
