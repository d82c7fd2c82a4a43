package org.middlemark.brokerage.soap;

import jakarta.xml.bind.JAXBElement;
import org.middlemark.brokerage.errors.Refusal;
import org.middlemark.brokerage.operations.Brokerage;
import org.middlemark.brokerage.operations.LocalBrokerage;
import org.middlemark.brokerage.settings.ServicesTier;
import org.middlemark.brokerage.soap.wsdl.AccountXml;
import org.middlemark.brokerage.soap.wsdl.BuyRequestXml;
import org.middlemark.brokerage.soap.wsdl.HoldingXml;
import org.middlemark.brokerage.soap.wsdl.HoldingsXml;
import org.middlemark.brokerage.soap.wsdl.LoginXml;
import org.middlemark.brokerage.soap.wsdl.MarketSummaryXml;
import org.middlemark.brokerage.soap.wsdl.NothingXml;
import org.middlemark.brokerage.soap.wsdl.ObjectFactory;
import org.middlemark.brokerage.soap.wsdl.OrderXml;
import org.middlemark.brokerage.soap.wsdl.OrdersRequestXml;
import org.middlemark.brokerage.soap.wsdl.OrdersXml;
import org.middlemark.brokerage.soap.wsdl.ProfileUpdateXml;
import org.middlemark.brokerage.soap.wsdl.ProfileXml;
import org.middlemark.brokerage.soap.wsdl.QuoteXml;
import org.middlemark.brokerage.soap.wsdl.QuotesXml;
import org.middlemark.brokerage.soap.wsdl.RegistrationXml;
import org.middlemark.brokerage.soap.wsdl.SymbolRequestXml;
import org.middlemark.brokerage.soap.wsdl.SymbolsRequestXml;
import org.middlemark.brokerage.soap.wsdl.UserHoldingXml;
import org.middlemark.brokerage.soap.wsdl.UserXml;
import org.springframework.ws.server.endpoint.annotation.Endpoint;
import org.springframework.ws.server.endpoint.annotation.PayloadRoot;
import org.springframework.ws.server.endpoint.annotation.RequestPayload;
import org.springframework.ws.server.endpoint.annotation.ResponsePayload;

/** The operations over SOAP. */
@Endpoint
@ServicesTier
class SoapEndpoint {

    static final String NAMESPACE = "urn:middlemark:brokerage:1";

    private final Brokerage brokerage;
    private final ObjectFactory elements = new ObjectFactory();

    SoapEndpoint(LocalBrokerage brokerage) {
        this.brokerage = brokerage;
    }

    @PayloadRoot(namespace = NAMESPACE, localPart = "ping")
    @ResponsePayload
    JAXBElement<NothingXml> ping(@RequestPayload JAXBElement<NothingXml> request) {
        return elements.createPingResponse(SoapAnswers.xml(brokerage.ping(SoapRequests.request(value(request)))));
    }

    @PayloadRoot(namespace = NAMESPACE, localPart = "login")
    @ResponsePayload
    JAXBElement<AccountXml> login(@RequestPayload JAXBElement<LoginXml> request) {
        return elements.createLoginResponse(SoapAnswers.xml(brokerage.login(SoapRequests.request(value(request)))));
    }

    @PayloadRoot(namespace = NAMESPACE, localPart = "logout")
    @ResponsePayload
    JAXBElement<NothingXml> logout(@RequestPayload JAXBElement<UserXml> request) {
        return elements.createLogoutResponse(SoapAnswers.xml(brokerage.logout(SoapRequests.request(value(request)))));
    }

    @PayloadRoot(namespace = NAMESPACE, localPart = "register")
    @ResponsePayload
    JAXBElement<AccountXml> register(@RequestPayload JAXBElement<RegistrationXml> request) {
        return elements.createRegisterResponse(SoapAnswers.xml(brokerage.register(SoapRequests.request(value(request)))));
    }

    @PayloadRoot(namespace = NAMESPACE, localPart = "getAccount")
    @ResponsePayload
    JAXBElement<AccountXml> getAccount(@RequestPayload JAXBElement<UserXml> request) {
        return elements.createGetAccountResponse(SoapAnswers.xml(brokerage.getAccount(SoapRequests.request(value(request)))));
    }

    @PayloadRoot(namespace = NAMESPACE, localPart = "getProfile")
    @ResponsePayload
    JAXBElement<ProfileXml> getProfile(@RequestPayload JAXBElement<UserXml> request) {
        return elements.createGetProfileResponse(SoapAnswers.xml(brokerage.getProfile(SoapRequests.request(value(request)))));
    }

    @PayloadRoot(namespace = NAMESPACE, localPart = "updateProfile")
    @ResponsePayload
    JAXBElement<ProfileXml> updateProfile(@RequestPayload JAXBElement<ProfileUpdateXml> request) {
        return elements.createUpdateProfileResponse(SoapAnswers.xml(brokerage.updateProfile(SoapRequests.request(value(request)))));
    }

    @PayloadRoot(namespace = NAMESPACE, localPart = "getHoldings")
    @ResponsePayload
    JAXBElement<HoldingsXml> getHoldings(@RequestPayload JAXBElement<UserXml> request) {
        return elements.createGetHoldingsResponse(SoapAnswers.xml(brokerage.getHoldings(SoapRequests.request(value(request)))));
    }

    @PayloadRoot(namespace = NAMESPACE, localPart = "getHolding")
    @ResponsePayload
    JAXBElement<HoldingXml> getHolding(@RequestPayload JAXBElement<UserHoldingXml> request) {
        return elements.createGetHoldingResponse(SoapAnswers.xml(brokerage.getHolding(SoapRequests.request(value(request)))));
    }

    @PayloadRoot(namespace = NAMESPACE, localPart = "getOrders")
    @ResponsePayload
    JAXBElement<OrdersXml> getOrders(@RequestPayload JAXBElement<OrdersRequestXml> request) {
        return elements.createGetOrdersResponse(SoapAnswers.xml(brokerage.getOrders(SoapRequests.request(value(request)))));
    }

    @PayloadRoot(namespace = NAMESPACE, localPart = "getClosedOrders")
    @ResponsePayload
    JAXBElement<OrdersXml> getClosedOrders(@RequestPayload JAXBElement<UserXml> request) {
        return elements.createGetClosedOrdersResponse(SoapAnswers.xml(brokerage.getClosedOrders(SoapRequests.request(value(request)))));
    }

    @PayloadRoot(namespace = NAMESPACE, localPart = "getQuote")
    @ResponsePayload
    JAXBElement<QuoteXml> getQuote(@RequestPayload JAXBElement<SymbolRequestXml> request) {
        return elements.createGetQuoteResponse(SoapAnswers.xml(brokerage.getQuote(SoapRequests.request(value(request)))));
    }

    @PayloadRoot(namespace = NAMESPACE, localPart = "getQuotes")
    @ResponsePayload
    JAXBElement<QuotesXml> getQuotes(@RequestPayload JAXBElement<SymbolsRequestXml> request) {
        return elements.createGetQuotesResponse(SoapAnswers.xml(brokerage.getQuotes(SoapRequests.request(value(request)))));
    }

    @PayloadRoot(namespace = NAMESPACE, localPart = "getMarketSummary")
    @ResponsePayload
    JAXBElement<MarketSummaryXml> getMarketSummary(@RequestPayload JAXBElement<NothingXml> request) {
        return elements.createGetMarketSummaryResponse(SoapAnswers.xml(brokerage.getMarketSummary(SoapRequests.request(value(request)))));
    }

    @PayloadRoot(namespace = NAMESPACE, localPart = "buy")
    @ResponsePayload
    JAXBElement<OrderXml> buy(@RequestPayload JAXBElement<BuyRequestXml> request) {
        return elements.createBuyResponse(SoapAnswers.xml(brokerage.buy(SoapRequests.request(value(request)))));
    }

    @PayloadRoot(namespace = NAMESPACE, localPart = "sell")
    @ResponsePayload
    JAXBElement<OrderXml> sell(@RequestPayload JAXBElement<UserHoldingXml> request) {
        return elements.createSellResponse(SoapAnswers.xml(brokerage.sell(SoapRequests.request(value(request)))));
    }

    /** The content of an element, which xsi:nil can take away. */
    private static <T> T value(JAXBElement<T> element) {
        if (element.isNil()) {
            throw Refusal.invalidInput("The request is empty.");
        }
        return element.getValue();
    }
}
