package org.middlemark.remoting.client.proxies;

import jakarta.json.bind.Jsonb;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.middlemark.remoting.domain.Customer;
import org.middlemark.remoting.domain.Operation;
import org.middlemark.remoting.domain.Order;
import org.middlemark.remoting.domain.Product;
import org.middlemark.remoting.domain.TableSet;
import org.middlemark.remoting.domain.Unreadable;
import org.middlemark.remoting.json.JsonMessages;
import org.middlemark.remoting.json.JsonMessages.CustomerId;
import org.middlemark.remoting.json.JsonMessages.Document;
import org.middlemark.remoting.json.JsonMessages.FoundCustomer;
import org.middlemark.remoting.json.JsonMessages.OrderId;
import org.middlemark.remoting.json.JsonMessages.Products;
import org.middlemark.remoting.json.JsonText;

/** The objects of openapi.yaml over HTTP. */
final class JsonProxy implements Proxy {
    private static final Jsonb JSON = JsonText.ofAnswers();
    private static final JsonMessages.Nothing NOTHING = new JsonMessages.Nothing();

    private final HttpCalls calls;

    JsonProxy(HttpCalls calls) {
        this.calls = calls;
    }

    private <A> A call(Operation operation, Object request, Class<A> answer) {
        byte[] body = calls.post("/services/json/" + operation.word(), "application/json",
                JSON.toJson(request).getBytes(StandardCharsets.UTF_8));
        A read = JSON.fromJson(new String(body, StandardCharsets.UTF_8), answer);
        if (read == null) {
            throw new Unreadable("The answer is not an object.");
        }
        return read;
    }

    @Override
    public void ping() {
        call(Operation.PING, NOTHING, JsonMessages.Nothing.class);
    }

    @Override
    public long storeOrder(Order order) {
        return call(Operation.STORE_ORDER, order, OrderId.class).orderId();
    }

    @Override
    public long storeOrderTables(TableSet order) {
        return call(Operation.STORE_ORDER_TABLES, Document.of(order), OrderId.class).orderId();
    }

    @Override
    public List<Product> loadProducts() {
        return call(Operation.LOAD_PRODUCTS, NOTHING, Products.class).products();
    }

    @Override
    public TableSet loadProductsTables() {
        return call(Operation.LOAD_PRODUCTS_TABLES, NOTHING, Document.class).tables();
    }

    @Override
    public List<Product> loadProductsConverted() {
        return call(Operation.LOAD_PRODUCTS_CONVERTED, NOTHING, Products.class).products();
    }

    @Override
    public Optional<Customer> loadCustomer(String customerId) {
        return call(Operation.LOAD_CUSTOMER, new CustomerId(customerId), FoundCustomer.class).found();
    }

    @Override
    public TableSet loadCustomerTables(String customerId) {
        return call(Operation.LOAD_CUSTOMER_TABLES, new CustomerId(customerId), Document.class).tables();
    }

    @Override
    public void disconnect() {
        // A header of each request decides whether its connection is kept.
    }
}
