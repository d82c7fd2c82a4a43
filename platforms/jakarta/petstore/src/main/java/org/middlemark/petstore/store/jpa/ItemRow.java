package org.middlemark.petstore.store.jpa;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.FetchType;
import jakarta.persistence.Id;
import jakarta.persistence.JoinColumn;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.Table;
import java.math.BigDecimal;
import org.middlemark.petstore.domain.Item;

/** A row of the table items; every query fetches the product with it. */
@Entity
@Table(name = "items")
public class ItemRow {
    @Id
    @Column(name = "item_id")
    private String itemId;
    @ManyToOne(fetch = FetchType.LAZY)
    @JoinColumn(name = "product_id")
    private ProductRow product;
    private String name;
    private BigDecimal price;

    protected ItemRow() {
    }

    Item item() {
        return new Item(itemId, product.product(), name, price);
    }
}
