package org.middlemark.petstore.store.jpa;

import java.math.BigDecimal;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.middlemark.database.Entities;
import org.middlemark.petstore.domain.Category;
import org.middlemark.petstore.domain.Item;
import org.middlemark.petstore.domain.Product;
import org.middlemark.petstore.domain.ProductWithItems;
import org.middlemark.petstore.store.Catalog;

final class JpaCatalog implements Catalog {
    private static final String CATEGORIES = "SELECT c FROM CategoryRow c ORDER BY c.categoryId";
    private static final String SEARCH = """
            SELECT p.productId FROM ProductRow p WHERE LOCATE(LOWER(:text), LOWER(p.name)) > 0
            ORDER BY p.name, p.productId""";
    private static final String OF_CATEGORY = """
            SELECT p.productId FROM ProductRow p WHERE p.categoryId = :categoryId ORDER BY p.name, p.productId""";
    private static final String PRODUCTS = "SELECT p FROM ProductRow p WHERE p.productId IN :ids";
    /** The columns of an item and no entity, whose product a provider may read anew. */
    private static final String PRODUCT = """
            SELECT p, i.itemId, i.name, i.price FROM ProductRow p LEFT JOIN ItemRow i ON i.product = p
            WHERE p.productId = :productId ORDER BY i.itemId""";
    private static final String ITEMS = "SELECT i FROM ItemRow i JOIN FETCH i.product WHERE i.itemId IN :ids";
    private static final String INVENTORY = "SELECT v FROM InventoryRow v WHERE v.itemId IN :ids";
    private static final String TAKE = """
            UPDATE InventoryRow v SET v.quantity = v.quantity - :pieces
            WHERE v.itemId = :itemId AND v.quantity >= :pieces""";

    private final Entities entities;

    JpaCatalog(Entities entities) {
        this.entities = entities;
    }

    @Override
    public List<Category> categories() {
        return entities.list(CATEGORIES, CategoryRow.class, Map.of()).stream().map(CategoryRow::category).toList();
    }

    @Override
    public List<String> search(String text, int first, int most) {
        return entities.list(SEARCH, String.class, Map.of("text", text), first, most);
    }

    @Override
    public List<String> ofCategory(String categoryId, int first, int most) {
        return entities.list(OF_CATEGORY, String.class, Map.of("categoryId", categoryId), first, most);
    }

    @Override
    public List<Product> products(Collection<String> productIds) {
        return entities.list(PRODUCTS, ProductRow.class, Map.of("ids", productIds)).stream().map(ProductRow::product)
                .toList();
    }

    @Override
    public Optional<ProductWithItems> product(String productId) {
        List<Object[]> rows = entities.list(PRODUCT, Object[].class, Map.of("productId", productId));
        Optional<Product> found = rows.stream().findFirst().map(row -> ((ProductRow) row[0]).product());
        return found.map(product -> new ProductWithItems(product, rows.stream().filter(row -> row[1] != null)
                .map(row -> new Item((String) row[1], product, (String) row[2], (BigDecimal) row[3])).toList()));
    }

    @Override
    public List<Item> items(Collection<String> itemIds) {
        return entities.list(ITEMS, ItemRow.class, Map.of("ids", itemIds)).stream().map(ItemRow::item).toList();
    }

    @Override
    public Map<String, Long> inventory(Collection<String> itemIds) {
        return entities.list(INVENTORY, InventoryRow.class, Map.of("ids", itemIds)).stream()
                .collect(Collectors.toMap(InventoryRow::itemId, InventoryRow::quantity));
    }

    @Override
    public boolean take(String itemId, int quantity) {
        return entities.change(TAKE, Map.of("itemId", itemId, "pieces", (long) quantity)) == 1;
    }
}
