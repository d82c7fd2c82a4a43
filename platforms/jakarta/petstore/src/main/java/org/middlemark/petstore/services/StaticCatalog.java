package org.middlemark.petstore.services;

import jakarta.annotation.PostConstruct;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.middlemark.petstore.domain.Category;
import org.middlemark.petstore.domain.Item;
import org.middlemark.petstore.domain.Product;
import org.middlemark.petstore.settings.Settings;
import org.middlemark.petstore.store.Store;

/** Categories, products and items, which no request changes: kept for MM_CATALOG_SECONDS. */
@ApplicationScoped
public class StaticCatalog {
    /** All categories are read at once, under one key. */
    private static final String ALL = "all";

    @Inject
    private Store store;
    @Inject
    private Settings settings;
    private Kept<String, List<Category>> categories;
    private Kept<String, Product> products;
    private Kept<String, Item> items;

    @PostConstruct
    void begin() {
        Duration age = Duration.ofSeconds(settings.catalogSeconds());
        categories = new Kept<>(age, list -> ALL);
        products = new Kept<>(age, Product::productId);
        items = new Kept<>(age, Item::itemId);
    }

    /** By category id. */
    public List<Category> categories() {
        return categories.find(List.of(ALL), keys -> List.of(store.catalog().categories())).get(ALL);
    }

    /** The products of ids that exist, in their order. */
    public List<Product> products(List<String> productIds) {
        Map<String, Product> found = products.find(productIds, store.catalog()::products);
        return productIds.stream().map(found::get).toList();
    }

    /** By item id, without those that do not exist. */
    public Map<String, Item> items(Collection<String> itemIds) {
        return items.find(itemIds, store.catalog()::items);
    }
}
