package org.middlemark.petstore.services;

import jakarta.ejb.Stateless;
import jakarta.ejb.TransactionAttribute;
import jakarta.ejb.TransactionAttributeType;
import jakarta.inject.Inject;
import java.util.Optional;
import java.util.UUID;
import org.middlemark.petstore.domain.Billing;
import org.middlemark.petstore.domain.Codes;
import org.middlemark.petstore.domain.Customer;
import org.middlemark.petstore.domain.Order;
import org.middlemark.petstore.domain.OrderLine;
import org.middlemark.petstore.store.Store;
import org.middlemark.refusals.Refusal;

/** Customers and their orders. Placing an order is a transaction of both databases; what reads needs none. */
@Stateless
@TransactionAttribute(TransactionAttributeType.SUPPORTS)
public class Ordering {
    @Inject
    private Store store;

    public Optional<Customer> customer(String userId, String password) {
        return store.customers().find(userId, password);
    }

    public Billing billing(String userId) {
        return store.customers().billing(userId);
    }

    public Optional<Order> order(long orderId) {
        return store.orders().find(orderId);
    }

    public Optional<Order> order(UUID orderKey) {
        return store.orders().find(orderKey);
    }

    /** Takes the inventory, in the order of the lines' items, and writes the order: both or neither. */
    @TransactionAttribute(TransactionAttributeType.REQUIRED)
    public Order place(Order order) {
        for (OrderLine line : order.lines()) {
            if (!store.catalog().take(line.itemId(), line.quantity())) {
                throw new Refusal(Codes.OUT_OF_STOCK, "Item " + line.itemId() + " is out of stock.");
            }
        }
        return order.written(store.orders().write(order));
    }
}
