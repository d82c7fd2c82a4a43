package org.middlemark.brokerage.store.jpa;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.FetchType;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.JoinColumn;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.SequenceGenerator;
import jakarta.persistence.Table;
import java.math.BigDecimal;
import java.time.Instant;
import org.middlemark.brokerage.domain.Order;
import org.middlemark.brokerage.domain.OrderStatus;
import org.middlemark.brokerage.domain.OrderType;
import org.middlemark.brokerage.domain.PlacedOrder;

/** A row of the table orders. Of its quote it needs the symbol alone, so that is no relation. */
@Entity
@Table(name = "orders")
public class OrderRow {
    @Id
    @GeneratedValue(strategy = GenerationType.SEQUENCE, generator = "orders")
    @SequenceGenerator(name = "orders", sequenceName = "orders_order_id_seq", allocationSize = 1)
    @Column(name = "order_id")
    private Long orderId;
    @ManyToOne(fetch = FetchType.LAZY)
    @JoinColumn(name = "account_id")
    private AccountRow account;
    @Column(name = "account_id", insertable = false, updatable = false)
    private long accountId;
    @Column(name = "order_type")
    private String orderType;
    private String status;
    private String symbol;
    private long quantity;
    private BigDecimal price;
    private BigDecimal fee;
    @Column(name = "open_time")
    private Instant openTime;
    @Column(name = "completion_time")
    private Instant completionTime;
    @Column(name = "holding_id")
    private Long holdingId;
    private boolean seen;

    protected OrderRow() {
    }

    OrderRow(AccountRow account, Order order) {
        this.account = account;
        orderType = order.type().word();
        status = order.status().word();
        symbol = order.symbol();
        quantity = order.quantity();
        price = order.price();
        fee = order.fee();
        openTime = order.openTime();
        completionTime = order.completionTime();
        holdingId = order.holdingId();
    }

    long orderId() {
        return orderId;
    }

    boolean isOpen() {
        return OrderStatus.OPEN.word().equals(status);
    }

    void close(Order closed) {
        status = OrderStatus.CLOSED.word();
        completionTime = closed.completionTime();
        holdingId = closed.holdingId();
    }

    PlacedOrder placed() {
        return new PlacedOrder(accountId, order());
    }

    Order order() {
        return new Order(orderId, OrderType.of(orderType), OrderStatus.of(status), symbol, quantity, price, fee,
                openTime, completionTime, holdingId);
    }
}
