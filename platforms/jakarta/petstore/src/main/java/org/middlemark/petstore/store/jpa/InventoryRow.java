package org.middlemark.petstore.store.jpa;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;

/** A row of the table inventory. */
@Entity
@Table(name = "inventory")
public class InventoryRow {
    @Id
    @Column(name = "item_id")
    private String itemId;
    private long quantity;

    protected InventoryRow() {
    }

    String itemId() {
        return itemId;
    }

    long quantity() {
        return quantity;
    }
}
