package org.middlemark.petstore.store.jpa;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import org.middlemark.petstore.domain.Category;

/** A row of the table categories. */
@Entity
@Table(name = "categories")
public class CategoryRow {
    @Id
    @Column(name = "category_id")
    private String categoryId;
    private String name;

    protected CategoryRow() {
    }

    Category category() {
        return new Category(categoryId, name);
    }
}
