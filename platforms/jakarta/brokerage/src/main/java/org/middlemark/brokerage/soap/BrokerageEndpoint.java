package org.middlemark.brokerage.soap;

import jakarta.inject.Inject;
import jakarta.jws.WebService;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.middlemark.brokerage.domain.Refusal;
import org.middlemark.brokerage.services.BrokerageServices;
import org.middlemark.brokerage.soap.wire.Account;
import org.middlemark.brokerage.soap.wire.Brokerage;
import org.middlemark.brokerage.soap.wire.BuyRequest;
import org.middlemark.brokerage.soap.wire.Holding;
import org.middlemark.brokerage.soap.wire.Holdings;
import org.middlemark.brokerage.soap.wire.Login;
import org.middlemark.brokerage.soap.wire.MarketSummary;
import org.middlemark.brokerage.soap.wire.Nothing;
import org.middlemark.brokerage.soap.wire.Order;
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

/** The operations over SOAP (specs/brokerage/brokerage.wsdl). */
@WebService(serviceName = "BrokerageService", portName = "BrokerageSoap", targetNamespace = SoapNames.BROKERAGE,
        endpointInterface = "org.middlemark.brokerage.soap.wire.Brokerage",
        wsdlLocation = "WEB-INF/wsdl/brokerage.wsdl")
public class BrokerageEndpoint implements Brokerage {
    private static final Logger LOG = Logger.getLogger(BrokerageEndpoint.class.getName());

    @Inject
    private BrokerageServices services;

    @Override
    public Nothing ping(Nothing request) {
        return answer(() -> {
            services.ping();
            return new Nothing();
        });
    }

    @Override
    public Account login(Login request) {
        return answer(() -> Beans.account(services.login(request.getUserId(), request.getPassword())));
    }

    @Override
    public Nothing logout(User request) {
        return answer(() -> {
            services.logout(request.getUserId());
            return new Nothing();
        });
    }

    @Override
    public Account register(Registration request) {
        return answer(() -> Beans.account(services.register(Beans.registration(request))));
    }

    @Override
    public Account getAccount(User request) {
        return answer(() -> Beans.account(services.getAccount(request.getUserId())));
    }

    @Override
    public Profile getProfile(User request) {
        return answer(() -> Beans.profile(services.getProfile(request.getUserId())));
    }

    @Override
    public Profile updateProfile(ProfileUpdate request) {
        return answer(() -> Beans.profile(services.updateProfile(Beans.profile(request), request.getPassword())));
    }

    @Override
    public Holdings getHoldings(User request) {
        return answer(() -> Beans.holdings(services.getHoldings(request.getUserId())));
    }

    @Override
    public Holding getHolding(UserHolding request) {
        return answer(() -> Beans.holding(services.getHolding(request.getUserId(), request.getHoldingId())));
    }

    @Override
    public Orders getOrders(OrdersRequest request) {
        return answer(() -> Beans.orders(services.getOrders(request.getUserId(), request.getLimit())));
    }

    @Override
    public Orders getClosedOrders(User request) {
        return answer(() -> Beans.orders(services.getClosedOrders(request.getUserId())));
    }

    @Override
    public Quote getQuote(SymbolRequest request) {
        return answer(() -> Beans.quote(services.getQuote(request.getSymbol())));
    }

    @Override
    public Quotes getQuotes(SymbolsRequest request) {
        return answer(() -> Beans.quotes(services.getQuotes(request.getSymbols())));
    }

    @Override
    public MarketSummary getMarketSummary(Nothing request) {
        return answer(() -> Beans.summary(services.getMarketSummary()));
    }

    @Override
    public Order buy(BuyRequest request) {
        return answer(() -> Beans.order(services.buy(request.getUserId(), request.getSymbol(), request.getQuantity())));
    }

    @Override
    public Order sell(UserHolding request) {
        return answer(() -> Beans.order(services.sell(request.getUserId(), request.getHoldingId())));
    }

    private static <T> T answer(Supplier<T> operation) {
        try {
            return operation.get();
        } catch (Refusal refusal) {
            throw SoapFaults.exception(SoapFault.of(refusal));
        } catch (RuntimeException unforeseen) {
            LOG.log(Level.SEVERE, "A SOAP request failed", unforeseen);
            throw SoapFaults.exception(SoapFault.of(Refusal.internal(unforeseen)));
        }
    }
}
