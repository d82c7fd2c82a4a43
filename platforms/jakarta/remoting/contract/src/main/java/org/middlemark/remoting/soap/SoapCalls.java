package org.middlemark.remoting.soap;

import org.middlemark.remoting.domain.Service;
import org.middlemark.remoting.domain.Unreadable;
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

/** The service over the generated beans, for HTTP and for TCP. */
public final class SoapCalls implements Remoting {
    private final Service service;

    public SoapCalls(Service service) {
        this.service = service;
    }

    @Override
    public PingResponse ping(Ping request) {
        service.ping();
        return new PingResponse();
    }

    @Override
    public StoreOrderResponse storeOrder(StoreOrder request) {
        StoreOrderResponse response = new StoreOrderResponse();
        response.setOrderId(service.storeOrder(Unreadable.request(() -> Records.order(request))));
        return response;
    }

    @Override
    public StoreOrderTablesResponse storeOrderTables(StoreOrderTables request) {
        StoreOrderTablesResponse response = new StoreOrderTablesResponse();
        response.setOrderId(service.storeOrderTables(
                Unreadable.request(() -> Records.tables(request.getTableSet()))));
        return response;
    }

    @Override
    public LoadProductsResponse loadProducts(LoadProducts request) {
        LoadProductsResponse response = new LoadProductsResponse();
        service.loadProducts().forEach(product -> response.getProduct().add(Beans.product(product)));
        return response;
    }

    @Override
    public LoadProductsTablesResponse loadProductsTables(LoadProductsTables request) {
        LoadProductsTablesResponse response = new LoadProductsTablesResponse();
        response.setTableSet(Beans.tables(service.loadProductsTables()));
        return response;
    }

    @Override
    public LoadProductsConvertedResponse loadProductsConverted(LoadProductsConverted request) {
        LoadProductsConvertedResponse response = new LoadProductsConvertedResponse();
        service.loadProductsConverted().forEach(product -> response.getProduct().add(Beans.product(product)));
        return response;
    }

    @Override
    public LoadCustomerResponse loadCustomer(LoadCustomer request) {
        LoadCustomerResponse response = new LoadCustomerResponse();
        service.loadCustomer(request.getCustomerId()).map(Beans::customer).ifPresent(response::setCustomer);
        return response;
    }

    @Override
    public LoadCustomerTablesResponse loadCustomerTables(LoadCustomerTables request) {
        LoadCustomerTablesResponse response = new LoadCustomerTablesResponse();
        response.setTableSet(Beans.tables(service.loadCustomerTables(request.getCustomerId())));
        return response;
    }
}
