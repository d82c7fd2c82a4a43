package org.middlemark.brokerage.store.jpa;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.SequenceGenerator;
import jakarta.persistence.Table;
import java.time.Instant;
import org.middlemark.brokerage.domain.Order;
import org.middlemark.brokerage.domain.OrderMessage;

/** A row of the table order_messages. */
@Entity
@Table(name = "order_messages")
public class MessageRow {
    @Id
    @GeneratedValue(strategy = GenerationType.SEQUENCE, generator = "order_messages")
    @SequenceGenerator(name = "order_messages", sequenceName = "order_messages_message_id_seq", allocationSize = 1)
    @Column(name = "message_id")
    private Long messageId;
    @Column(name = "order_id")
    private long orderId;
    @Column(name = "placed_at")
    private Instant placedAt;

    protected MessageRow() {
    }

    MessageRow(Order placed) {
        orderId = placed.orderId();
        placedAt = placed.openTime();
    }

    OrderMessage message() {
        return new OrderMessage(messageId, orderId);
    }
}
