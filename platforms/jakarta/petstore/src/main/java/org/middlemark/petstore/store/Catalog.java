package org.middlemark.petstore.store;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.middlemark.petstore.domain.Category;
import org.middlemark.petstore.domain.Item;
import org.middlemark.petstore.domain.Product;
import org.middlemark.petstore.domain.ProductWithItems;

/** The database catalog. What is looked for by ids comes in any order, without those that do not exist. */
public interface Catalog {
    /** By category id. */
    List<Category> categories();

    /** The ids of the products whose name contains a text, by name and product id, from {@code first} on. */
    List<String> search(String text, int first, int most);

    /** The ids of the products of a category, by name and product id, from {@code first} on. */
    List<String> ofCategory(String categoryId, int first, int most);

    List<Product> products(Collection<String> productIds);

    Optional<ProductWithItems> product(String productId);

    List<Item> items(Collection<String> itemIds);

    Map<String, Long> inventory(Collection<String> itemIds);

    /** Takes pieces from the inventory of an item in the caller's transaction; false when it has fewer. */
    boolean take(String itemId, int quantity);
}
