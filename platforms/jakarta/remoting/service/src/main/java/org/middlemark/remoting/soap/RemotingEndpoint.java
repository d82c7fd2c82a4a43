package org.middlemark.remoting.soap;

import jakarta.annotation.PostConstruct;
import jakarta.inject.Inject;
import jakarta.interceptor.Interceptors;
import jakarta.jws.WebService;
import org.middlemark.remoting.domain.Service;
import org.middlemark.remoting.soap.wire.LoadCustomer;
import org.middlemark.remoting.soap.wire.LoadCustomerResponse;
import org.middlemark.remoting.soap.wire.LoadCustomerTables;
import org.middlemark.remoting.soap.wire.LoadCustomerTablesResponse;
import org.middlemark.remoting.soap.wire.LoadProducts;
import org.middlemark.remoting.soap.wire.LoadProductsConverted;
import org.middlemark.remoting.soap.wire.LoadProductsConvertedResponse;
import org.middlemark.remoting.soap.wire.LoadProductsResponse;
import org.middlemark.remoting.soap.wire.LoadProductsTables;
import org.middlemark.remoting.soap.wire.LoadProductsTablesResponse;
import org.middlemark.remoting.soap.wire.Ping;
import org.middlemark.remoting.soap.wire.PingResponse;
import org.middlemark.remoting.soap.wire.Remoting;
import org.middlemark.remoting.soap.wire.StoreOrder;
import org.middlemark.remoting.soap.wire.StoreOrderResponse;
import org.middlemark.remoting.soap.wire.StoreOrderTables;
import org.middlemark.remoting.soap.wire.StoreOrderTablesResponse;
import org.middlemark.soap.RefusalsAsFaults;

/** The operations over SOAP (specs/remoting/remoting.wsdl). */
@WebService(serviceName = "RemotingService", portName = "RemotingSoap", targetNamespace = "urn:middlemark:remoting:1",
        endpointInterface = "org.middlemark.remoting.soap.wire.Remoting",
        wsdlLocation = "WEB-INF/wsdl/remoting.wsdl")
@Interceptors(RefusalsAsFaults.class)
public class RemotingEndpoint implements Remoting {
    @Inject
    private Service service;
    private Remoting calls;

    @PostConstruct
    void begin() {
        calls = new SoapCalls(service);
    }

    @Override
    public PingResponse ping(Ping request) {
        return calls.ping(request);
    }

    @Override
    public StoreOrderResponse storeOrder(StoreOrder request) {
        return calls.storeOrder(request);
    }

    @Override
    public StoreOrderTablesResponse storeOrderTables(StoreOrderTables request) {
        return calls.storeOrderTables(request);
    }

    @Override
    public LoadProductsResponse loadProducts(LoadProducts request) {
        return calls.loadProducts(request);
    }

    @Override
    public LoadProductsTablesResponse loadProductsTables(LoadProductsTables request) {
        return calls.loadProductsTables(request);
    }

    @Override
    public LoadProductsConvertedResponse loadProductsConverted(LoadProductsConverted request) {
        return calls.loadProductsConverted(request);
    }

    @Override
    public LoadCustomerResponse loadCustomer(LoadCustomer request) {
        return calls.loadCustomer(request);
    }

    @Override
    public LoadCustomerTablesResponse loadCustomerTables(LoadCustomerTables request) {
        return calls.loadCustomerTables(request);
    }
}
