package org.middlemark.petstore.store.jpa;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import org.middlemark.petstore.domain.Product;

/** A row of the table products. */
@Entity
@Table(name = "products")
public class ProductRow {
    @Id
    @Column(name = "product_id")
    private String productId;
    @Column(name = "category_id")
    private String categoryId;
    private String name;
    private String description;

    protected ProductRow() {
    }

    Product product() {
        return new Product(productId, name, description);
    }
}
