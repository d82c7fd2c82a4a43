package org.middlemark.remoting.json;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import org.middlemark.remoting.domain.Order;
import org.middlemark.remoting.domain.Service;
import org.middlemark.remoting.domain.Unreadable;
import org.middlemark.remoting.json.JsonMessages.CustomerId;
import org.middlemark.remoting.json.JsonMessages.Document;
import org.middlemark.remoting.json.JsonMessages.FoundCustomer;
import org.middlemark.remoting.json.JsonMessages.Nothing;
import org.middlemark.remoting.json.JsonMessages.OrderId;
import org.middlemark.remoting.json.JsonMessages.Products;

/** The operations over JSON (specs/remoting/openapi.yaml). */
@Path("/")
@ApplicationScoped
@Consumes(MediaType.APPLICATION_JSON)
@Produces(MediaType.APPLICATION_JSON)
public class RemotingResource {
    @Inject
    private Service service;

    @POST
    @Path("ping")
    public Nothing ping(Nothing request) {
        service.ping();
        return new Nothing();
    }

    @POST
    @Path("storeOrder")
    public OrderId storeOrder(Order request) {
        return new OrderId(service.storeOrder(request));
    }

    @POST
    @Path("storeOrderTables")
    public OrderId storeOrderTables(Document request) {
        return new OrderId(service.storeOrderTables(Unreadable.request(request::tables)));
    }

    @POST
    @Path("loadProducts")
    public Products loadProducts(Nothing request) {
        return new Products(service.loadProducts());
    }

    @POST
    @Path("loadProductsTables")
    public Document loadProductsTables(Nothing request) {
        return Document.of(service.loadProductsTables());
    }

    @POST
    @Path("loadProductsConverted")
    public Products loadProductsConverted(Nothing request) {
        return new Products(service.loadProductsConverted());
    }

    @POST
    @Path("loadCustomer")
    public FoundCustomer loadCustomer(CustomerId request) {
        return FoundCustomer.of(service.loadCustomer(request.customerId()));
    }

    @POST
    @Path("loadCustomerTables")
    public Document loadCustomerTables(CustomerId request) {
        return Document.of(service.loadCustomerTables(request.customerId()));
    }
}
