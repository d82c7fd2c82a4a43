package org.middlemark.brokerage.soap;

import org.middlemark.brokerage.operations.Request;
import org.middlemark.brokerage.soap.wsdl.BuyRequestXml;
import org.middlemark.brokerage.soap.wsdl.LoginXml;
import org.middlemark.brokerage.soap.wsdl.NothingXml;
import org.middlemark.brokerage.soap.wsdl.OrdersRequestXml;
import org.middlemark.brokerage.soap.wsdl.ProfileUpdateXml;
import org.middlemark.brokerage.soap.wsdl.RegistrationXml;
import org.middlemark.brokerage.soap.wsdl.SymbolRequestXml;
import org.middlemark.brokerage.soap.wsdl.SymbolsRequestXml;
import org.middlemark.brokerage.soap.wsdl.UserHoldingXml;
import org.middlemark.brokerage.soap.wsdl.UserXml;

/** Requests as the classes generated from the WSDL have them, and back. */
final class SoapRequests {

    private SoapRequests() {
    }

    static NothingXml xml(Request.Nothing request) {
        return new NothingXml();
    }

    static UserXml xml(Request.User request) {
        UserXml xml = new UserXml();
        xml.setUserId(request.userId());
        return xml;
    }

    static LoginXml xml(Request.Login request) {
        LoginXml xml = new LoginXml();
        xml.setUserId(request.userId());
        xml.setPassword(request.password());
        return xml;
    }

    static RegistrationXml xml(Request.Registration request) {
        RegistrationXml xml = new RegistrationXml();
        xml.setUserId(request.userId());
        xml.setPassword(request.password());
        xml.setFullName(request.fullName());
        xml.setAddress(request.address());
        xml.setEmail(request.email());
        xml.setCreditCard(request.creditCard());
        xml.setOpenBalance(request.openBalance());
        return xml;
    }

    static ProfileUpdateXml xml(Request.ProfileUpdate request) {
        ProfileUpdateXml xml = new ProfileUpdateXml();
        xml.setUserId(request.userId());
        xml.setFullName(request.fullName());
        xml.setAddress(request.address());
        xml.setEmail(request.email());
        xml.setCreditCard(request.creditCard());
        xml.setPassword(request.password());
        return xml;
    }

    static UserHoldingXml xml(Request.UserHolding request) {
        UserHoldingXml xml = new UserHoldingXml();
        xml.setUserId(request.userId());
        xml.setHoldingId(request.holdingId());
        return xml;
    }

    static OrdersRequestXml xml(Request.LastOrders request) {
        OrdersRequestXml xml = new OrdersRequestXml();
        xml.setUserId(request.userId());
        xml.setLimit(request.limit());
        return xml;
    }

    static SymbolRequestXml xml(Request.OneSymbol request) {
        SymbolRequestXml xml = new SymbolRequestXml();
        xml.setSymbol(request.symbol());
        return xml;
    }

    static SymbolsRequestXml xml(Request.Symbols request) {
        SymbolsRequestXml xml = new SymbolsRequestXml();
        xml.getSymbols().addAll(request.symbols());
        return xml;
    }

    static BuyRequestXml xml(Request.Purchase request) {
        BuyRequestXml xml = new BuyRequestXml();
        xml.setUserId(request.userId());
        xml.setSymbol(request.symbol());
        xml.setQuantity(request.quantity());
        return xml;
    }

    static Request.Nothing request(NothingXml xml) {
        return new Request.Nothing();
    }

    static Request.User request(UserXml xml) {
        return new Request.User(xml.getUserId());
    }

    static Request.Login request(LoginXml xml) {
        return new Request.Login(xml.getUserId(), xml.getPassword());
    }

    static Request.Registration request(RegistrationXml xml) {
        return new Request.Registration(xml.getUserId(), xml.getPassword(), xml.getFullName(), xml.getAddress(), xml.getEmail(),
                xml.getCreditCard(), xml.getOpenBalance());
    }

    static Request.ProfileUpdate request(ProfileUpdateXml xml) {
        return new Request.ProfileUpdate(xml.getUserId(), xml.getFullName(), xml.getAddress(), xml.getEmail(), xml.getCreditCard(),
                xml.getPassword());
    }

    static Request.UserHolding request(UserHoldingXml xml) {
        return new Request.UserHolding(xml.getUserId(), xml.getHoldingId());
    }

    static Request.LastOrders request(OrdersRequestXml xml) {
        return new Request.LastOrders(xml.getUserId(), xml.getLimit());
    }

    static Request.OneSymbol request(SymbolRequestXml xml) {
        return new Request.OneSymbol(xml.getSymbol());
    }

    static Request.Symbols request(SymbolsRequestXml xml) {
        return new Request.Symbols(xml.getSymbols());
    }

    static Request.Purchase request(BuyRequestXml xml) {
        return new Request.Purchase(xml.getUserId(), xml.getSymbol(), xml.getQuantity());
    }
}
