package org.middlemark.remoting.client;

import jakarta.json.JsonException;
import jakarta.json.bind.Jsonb;
import jakarta.json.bind.JsonbException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.middlemark.refusals.Refusal;
import org.middlemark.remoting.client.proxies.Proxy;
import org.middlemark.remoting.domain.Address;
import org.middlemark.remoting.domain.Limits;
import org.middlemark.remoting.domain.Operation;
import org.middlemark.remoting.domain.Order;
import org.middlemark.remoting.domain.OrderLine;
import org.middlemark.remoting.domain.TableSet;
import org.middlemark.remoting.domain.Unreadable;
import org.middlemark.remoting.frames.FrameStream;
import org.middlemark.remoting.json.JsonMessages.CustomerId;
import org.middlemark.remoting.json.JsonMessages.Document;
import org.middlemark.remoting.json.JsonMessages.FoundCustomer;
import org.middlemark.remoting.json.JsonMessages.Nothing;
import org.middlemark.remoting.json.JsonMessages.OrderId;
import org.middlemark.remoting.json.JsonMessages.Products;
import org.middlemark.remoting.json.JsonText;
import org.middlemark.remoting.tables.OrderTables;

/** The objects of a request. An operation uses those that it has. */
record Request(Order order, TableSet tables, String customerId) {
    private static final int EMPLOYEE_OF_TABLES = 6;
    private static final String CUSTOMER = "C0017";
    private static final Jsonb JSON = JsonText.ofRequests();

    /** The request of a call without a body: the order of order.json, and the same of another employee as tables. */
    static Request standard() {
        try (InputStream file = Request.class.getResourceAsStream("/order.json")) {
            Order order = read(file.readAllBytes(), Order.class);
            return new Request(order, OrderTables.tables(order.ofEmployee(EMPLOYEE_OF_TABLES)), CUSTOMER);
        } catch (IOException impossible) {
            throw new IllegalStateException("order.json", impossible);
        }
    }

    /** The request of a body as openapi.yaml has it; {@code invalid_input} for any other one. */
    static Request of(Operation operation, byte[] body) {
        if (body.length > FrameStream.LONGEST) {
            throw Refusal.invalid("The body is longer than 4 MiB.");
        }
        return switch (operation) {
            case PING, LOAD_PRODUCTS, LOAD_PRODUCTS_TABLES, LOAD_PRODUCTS_CONVERTED -> {
                read(body, Nothing.class);
                yield new Request(null, null, null);
            }
            case STORE_ORDER -> new Request(sendable(read(body, Order.class)), null, null);
            case STORE_ORDER_TABLES -> new Request(null, Unreadable.request(read(body, Document.class)::tables), null);
            case LOAD_CUSTOMER, LOAD_CUSTOMER_TABLES -> {
                CustomerId customer = read(body, CustomerId.class);
                yield new Request(null, null, Limits.readable("customerId", customer.customerId()));
            }
        };
    }

    /**
     * An order that every protocol can carry: JSON alone has missing objects and no infinity, and XML has no U+0000.
     * All other limits are the service's.
     */
    private static Order sendable(Order order) {
        Limits.readable("customerId", order.customerId());
        needed("orderDate", order.orderDate());
        needed("freight", order.freight());
        for (OrderLine line : needed("lines", order.lines())) {
            needed("lines", line);
            finite("unitPrice", line.unitPrice());
            finite("discount", line.discount());
        }
        for (Address address : new Address[] {order.shipping(), order.billing()}) {
            needed("address", address);
            Limits.readable("name", address.name());
            Limits.readable("street", address.street());
            Limits.readable("city", address.city());
            Limits.readable("region", address.region());
            Limits.readable("postalCode", address.postalCode());
            Limits.readable("country", address.country());
        }
        return order;
    }

    private static void finite(String name, double number) {
        if (!Double.isFinite(number)) {
            throw Refusal.invalid(name + " is not a number.");
        }
    }

    private static <T> T needed(String name, T value) {
        if (value == null) {
            throw Refusal.invalid(name + " is missing.");
        }
        return value;
    }

    private static <T> T read(byte[] body, Class<T> type) {
        try {
            String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(body)).toString();
            return needed("The body", JSON.fromJson(text, type));
        } catch (CharacterCodingException | JsonException | JsonbException | Unreadable unreadable) {
            throw Refusal.invalid("The body is not the request of the operation.");
        }
    }

    /** Makes the call; the result is as openapi.yaml has the answer, but for the tables of a table set. */
    Object call(Operation operation, Proxy proxy) {
        return switch (operation) {
            case PING -> {
                proxy.ping();
                yield new Nothing();
            }
            case STORE_ORDER -> new OrderId(proxy.storeOrder(order));
            case STORE_ORDER_TABLES -> new OrderId(proxy.storeOrderTables(tables));
            case LOAD_PRODUCTS -> new Products(proxy.loadProducts());
            case LOAD_PRODUCTS_TABLES -> proxy.loadProductsTables();
            case LOAD_PRODUCTS_CONVERTED -> new Products(proxy.loadProductsConverted());
            case LOAD_CUSTOMER -> FoundCustomer.of(proxy.loadCustomer(customerId));
            case LOAD_CUSTOMER_TABLES -> proxy.loadCustomerTables(customerId);
        };
    }
}
