package org.middlemark.petstore.store.jpa;

import jakarta.persistence.AttributeOverride;
import jakarta.persistence.Column;
import jakarta.persistence.Embedded;
import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.SequenceGenerator;
import jakarta.persistence.Table;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.middlemark.petstore.domain.Order;
import org.middlemark.petstore.domain.OrderLine;

/** A row of the table orders; its lines are read and written beside it. */
@Entity
@Table(name = "orders")
public class OrderRow {
    @Id
    @GeneratedValue(strategy = GenerationType.SEQUENCE, generator = "orders")
    @SequenceGenerator(name = "orders", sequenceName = "orders_order_id_seq", allocationSize = 1)
    @Column(name = "order_id")
    private Long orderId;
    @Column(name = "order_key")
    private UUID orderKey;
    @Column(name = "user_id")
    private String userId;
    @Column(name = "order_date")
    private Instant orderDate;
    private BigDecimal total;
    @Embedded
    private CardColumns card;
    @Embedded
    @AttributeOverride(name = "firstName", column = @Column(name = "billing_first_name"))
    @AttributeOverride(name = "lastName", column = @Column(name = "billing_last_name"))
    @AttributeOverride(name = "address1", column = @Column(name = "billing_address_1"))
    @AttributeOverride(name = "address2", column = @Column(name = "billing_address_2"))
    @AttributeOverride(name = "city", column = @Column(name = "billing_city"))
    @AttributeOverride(name = "state", column = @Column(name = "billing_state"))
    @AttributeOverride(name = "zip", column = @Column(name = "billing_zip"))
    @AttributeOverride(name = "country", column = @Column(name = "billing_country"))
    @AttributeOverride(name = "phone", column = @Column(name = "billing_phone"))
    private AddressColumns billing;
    @Embedded
    @AttributeOverride(name = "firstName", column = @Column(name = "shipping_first_name"))
    @AttributeOverride(name = "lastName", column = @Column(name = "shipping_last_name"))
    @AttributeOverride(name = "address1", column = @Column(name = "shipping_address_1"))
    @AttributeOverride(name = "address2", column = @Column(name = "shipping_address_2"))
    @AttributeOverride(name = "city", column = @Column(name = "shipping_city"))
    @AttributeOverride(name = "state", column = @Column(name = "shipping_state"))
    @AttributeOverride(name = "zip", column = @Column(name = "shipping_zip"))
    @AttributeOverride(name = "country", column = @Column(name = "shipping_country"))
    @AttributeOverride(name = "phone", column = @Column(name = "shipping_phone"))
    private AddressColumns shipping;

    protected OrderRow() {
    }

    OrderRow(Order order) {
        orderKey = order.orderKey();
        userId = order.userId();
        orderDate = order.orderDate();
        total = order.total();
        card = new CardColumns(order.card());
        billing = new AddressColumns(order.billing());
        shipping = new AddressColumns(order.shipping());
    }

    long orderId() {
        return orderId;
    }

    Order order(List<OrderLine> lines) {
        return new Order(orderId, orderKey, userId, orderDate, card.card(), billing.address(), shipping.address(),
                lines);
    }
}
