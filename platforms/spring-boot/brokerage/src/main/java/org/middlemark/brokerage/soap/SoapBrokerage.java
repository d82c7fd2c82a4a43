package org.middlemark.brokerage.soap;

import jakarta.xml.bind.JAXBElement;
import java.util.function.Function;
import org.middlemark.brokerage.accounts.Account;
import org.middlemark.brokerage.accounts.Profile;
import org.middlemark.brokerage.errors.Refusal;
import org.middlemark.brokerage.operations.Brokerage;
import org.middlemark.brokerage.operations.Nothing;
import org.middlemark.brokerage.operations.Request;
import org.middlemark.brokerage.orders.Holding;
import org.middlemark.brokerage.orders.Holdings;
import org.middlemark.brokerage.orders.Order;
import org.middlemark.brokerage.orders.Orders;
import org.middlemark.brokerage.quotes.MarketSummary;
import org.middlemark.brokerage.quotes.Quote;
import org.middlemark.brokerage.quotes.Quotes;
import org.middlemark.brokerage.soap.wsdl.AccountXml;
import org.middlemark.brokerage.soap.wsdl.HoldingXml;
import org.middlemark.brokerage.soap.wsdl.HoldingsXml;
import org.middlemark.brokerage.soap.wsdl.MarketSummaryXml;
import org.middlemark.brokerage.soap.wsdl.NothingXml;
import org.middlemark.brokerage.soap.wsdl.ObjectFactory;
import org.middlemark.brokerage.soap.wsdl.OrderXml;
import org.middlemark.brokerage.soap.wsdl.OrdersXml;
import org.middlemark.brokerage.soap.wsdl.ProfileXml;
import org.middlemark.brokerage.soap.wsdl.QuoteXml;
import org.middlemark.brokerage.soap.wsdl.QuotesXml;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.oxm.XmlMappingException;
import org.springframework.ws.client.WebServiceClientException;
import org.springframework.ws.client.core.WebServiceOperations;

/** The operations of services that are called over SOAP. */
class SoapBrokerage implements Brokerage {

    private static final Logger LOG = LoggerFactory.getLogger(SoapBrokerage.class);

    private final WebServiceOperations services;
    private final ObjectFactory elements = new ObjectFactory();

    SoapBrokerage(WebServiceOperations services) {
        this.services = services;
    }

    @Override
    public Nothing ping(Request.Nothing request) {
        return call(request, elements.createPing(SoapRequests.xml(request)), NothingXml.class, SoapAnswers::answer);
    }

    @Override
    public Account login(Request.Login request) {
        return call(request, elements.createLogin(SoapRequests.xml(request)), AccountXml.class, SoapAnswers::answer);
    }

    @Override
    public Nothing logout(Request.User request) {
        return call(request, elements.createLogout(SoapRequests.xml(request)), NothingXml.class, SoapAnswers::answer);
    }

    @Override
    public Account register(Request.Registration request) {
        return call(request, elements.createRegister(SoapRequests.xml(request)), AccountXml.class, SoapAnswers::answer);
    }

    @Override
    public Account getAccount(Request.User request) {
        return call(request, elements.createGetAccount(SoapRequests.xml(request)), AccountXml.class, SoapAnswers::answer);
    }

    @Override
    public Profile getProfile(Request.User request) {
        return call(request, elements.createGetProfile(SoapRequests.xml(request)), ProfileXml.class, SoapAnswers::answer);
    }

    @Override
    public Profile updateProfile(Request.ProfileUpdate request) {
        return call(request, elements.createUpdateProfile(SoapRequests.xml(request)), ProfileXml.class, SoapAnswers::answer);
    }

    @Override
    public Holdings getHoldings(Request.User request) {
        return call(request, elements.createGetHoldings(SoapRequests.xml(request)), HoldingsXml.class, SoapAnswers::answer);
    }

    @Override
    public Holding getHolding(Request.UserHolding request) {
        return call(request, elements.createGetHolding(SoapRequests.xml(request)), HoldingXml.class, SoapAnswers::answer);
    }

    @Override
    public Orders getOrders(Request.LastOrders request) {
        return call(request, elements.createGetOrders(SoapRequests.xml(request)), OrdersXml.class, SoapAnswers::answer);
    }

    @Override
    public Orders getClosedOrders(Request.User request) {
        return call(request, elements.createGetClosedOrders(SoapRequests.xml(request)), OrdersXml.class, SoapAnswers::answer);
    }

    @Override
    public Quote getQuote(Request.OneSymbol request) {
        return call(request, elements.createGetQuote(SoapRequests.xml(request)), QuoteXml.class, SoapAnswers::answer);
    }

    @Override
    public Quotes getQuotes(Request.Symbols request) {
        return call(request, elements.createGetQuotes(SoapRequests.xml(request)), QuotesXml.class, SoapAnswers::answer);
    }

    @Override
    public MarketSummary getMarketSummary(Request.Nothing request) {
        return call(request, elements.createGetMarketSummary(SoapRequests.xml(request)), MarketSummaryXml.class, SoapAnswers::answer);
    }

    @Override
    public Order buy(Request.Purchase request) {
        return call(request, elements.createBuy(SoapRequests.xml(request)), OrderXml.class, SoapAnswers::answer);
    }

    @Override
    public Order sell(Request.UserHolding request) {
        return call(request, elements.createSell(SoapRequests.xml(request)), OrderXml.class, SoapAnswers::answer);
    }

    /**
     * Sends a request and returns the answer; no answer, or one that cannot be read, is a refusal. The request is checked before, because
     * not every text that is refused can be written in XML.
     */
    private <X, A> A call(Request request, JAXBElement<?> element, Class<X> type, Function<X, A> answer) {
        request.check();
        String operation = element.getName().getLocalPart();
        try {
            if (services.marshalSendAndReceive(element) instanceof JAXBElement<?> response && type.isInstance(response.getValue())) {
                return answer.apply(type.cast(response.getValue()));
            }
            LOG.error("The services answered {} with something else", operation);
        } catch (WebServiceClientException | XmlMappingException failure) {
            LOG.error("The services did not answer {}", operation, failure);
        }
        throw Refusal.unavailable();
    }
}
