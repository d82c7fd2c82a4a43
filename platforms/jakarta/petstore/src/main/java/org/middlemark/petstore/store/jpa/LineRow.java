package org.middlemark.petstore.store.jpa;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.IdClass;
import jakarta.persistence.Table;
import java.math.BigDecimal;
import java.util.Objects;
import org.middlemark.petstore.domain.OrderLine;

/** A row of the table order_lines. */
@Entity
@Table(name = "order_lines")
@IdClass(LineRow.Key.class)
public class LineRow {
    @Id
    @Column(name = "order_id")
    private long orderId;
    @Id
    @Column(name = "line_number")
    private int lineNumber;
    @Column(name = "item_id")
    private String itemId;
    private int quantity;
    private BigDecimal price;

    /** The key of a line. */
    public static class Key {
        private long orderId;
        private int lineNumber;

        @Override
        public boolean equals(Object other) {
            return other instanceof Key key && key.orderId == orderId && key.lineNumber == lineNumber;
        }

        @Override
        public int hashCode() {
            return Objects.hash(orderId, lineNumber);
        }
    }

    protected LineRow() {
    }

    LineRow(long orderId, OrderLine line) {
        this.orderId = orderId;
        lineNumber = line.lineNumber();
        itemId = line.itemId();
        quantity = line.quantity();
        price = line.price();
    }

    OrderLine line() {
        return new OrderLine(lineNumber, itemId, quantity, price);
    }
}
