package org.middlemark.petstore.soap;

import jakarta.inject.Inject;
import jakarta.interceptor.Interceptors;
import jakarta.jws.WebService;
import org.middlemark.petstore.domain.Address;
import org.middlemark.petstore.domain.Order;
import org.middlemark.petstore.domain.OrderLine;
import org.middlemark.petstore.services.Shop;
import org.middlemark.petstore.soap.wire.GetOrder;
import org.middlemark.petstore.soap.wire.GetOrderResponse;
import org.middlemark.petstore.soap.wire.Line;
import org.middlemark.petstore.soap.wire.PetStore;
import org.middlemark.petstore.soap.wire.Ping;
import org.middlemark.petstore.soap.wire.PingResponse;
import org.middlemark.soap.RefusalsAsFaults;

/** The web service (specs/petstore/petstore.wsdl). */
@WebService(serviceName = "PetStoreService", portName = "PetStoreSoap", targetNamespace = "urn:middlemark:petstore:1",
        endpointInterface = "org.middlemark.petstore.soap.wire.PetStore", wsdlLocation = "WEB-INF/wsdl/petstore.wsdl")
@Interceptors(RefusalsAsFaults.class)
public class OrderEndpoint implements PetStore {
    @Inject
    private Shop shop;

    @Override
    public PingResponse ping(Ping request) {
        return new PingResponse();
    }

    @Override
    public GetOrderResponse getOrder(GetOrder request) {
        Order order = shop.order(request.getOrderId());
        GetOrderResponse response = new GetOrderResponse();
        response.setOrderId(order.orderId());
        response.setOrderDate(order.orderDate().toString());
        response.setUserId(order.userId());
        response.setCardType(order.card().type());
        response.setCardNumber(order.card().number());
        response.setCardExpiration(order.card().expiration());
        response.setBilling(bean(order.billing()));
        response.setShipping(bean(order.shipping()));
        order.lines().forEach(line -> response.getLine().add(bean(line)));
        return response;
    }

    private static org.middlemark.petstore.soap.wire.Address bean(Address address) {
        var bean = new org.middlemark.petstore.soap.wire.Address();
        bean.setFirstName(address.firstName());
        bean.setLastName(address.lastName());
        bean.setAddress1(address.address1());
        bean.setAddress2(address.address2());
        bean.setCity(address.city());
        bean.setState(address.state());
        bean.setZip(address.zip());
        bean.setCountry(address.country());
        bean.setPhone(address.phone());
        return bean;
    }

    private static Line bean(OrderLine line) {
        Line bean = new Line();
        bean.setItemId(line.itemId());
        bean.setLineNumber(line.lineNumber());
        bean.setQuantity(line.quantity());
        bean.setPrice(line.price());
        return bean;
    }
}
