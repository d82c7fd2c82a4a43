package org.middlemark.petstore.store.jdbc;

import jakarta.annotation.PostConstruct;
import jakarta.annotation.Resource;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.middlemark.database.Statements;
import org.middlemark.petstore.domain.Category;
import org.middlemark.petstore.domain.Item;
import org.middlemark.petstore.domain.Product;
import org.middlemark.petstore.domain.ProductWithItems;
import org.middlemark.petstore.store.Catalog;

/** Apart from the store: a process without the web tier has no such data source to inject. */
@ApplicationScoped
public class JdbcCatalog implements Catalog {
    private static final String CATEGORIES = "SELECT category_id, name FROM categories ORDER BY category_id";
    private static final String SEARCH = """
            SELECT product_id FROM products WHERE strpos(lower(name), lower(?)) > 0
            ORDER BY name, product_id LIMIT ? OFFSET ?""";
    private static final String OF_CATEGORY = """
            SELECT product_id FROM products WHERE category_id = ? ORDER BY name, product_id LIMIT ? OFFSET ?""";
    private static final String PRODUCTS =
            "SELECT product_id, name, description FROM products WHERE product_id = ANY (?)";
    private static final String ITEM_COLUMNS = """
            SELECT p.product_id, p.name, p.description, i.item_id, i.name AS item_name, i.price
            FROM products p""";
    private static final String PRODUCT = ITEM_COLUMNS
            + " LEFT JOIN items i USING (product_id) WHERE p.product_id = ? ORDER BY i.item_id";
    private static final String ITEMS = ITEM_COLUMNS + " JOIN items i USING (product_id) WHERE i.item_id = ANY (?)";
    private static final String INVENTORY = "SELECT item_id, quantity FROM inventory WHERE item_id = ANY (?)";
    private static final String TAKE =
            "UPDATE inventory SET quantity = quantity - ? WHERE item_id = ? AND quantity >= ?";

    @Resource(name = "jdbc/catalog")
    private DataSource dataSource;
    private Statements statements;

    private record Stock(String itemId, long quantity) {
    }

    @PostConstruct
    void begin() {
        statements = new Statements(dataSource);
    }

    @Override
    public List<Category> categories() {
        return statements.rows(CATEGORIES, row -> new Category(row.getString("category_id"), row.getString("name")));
    }

    @Override
    public List<String> search(String text, int first, int most) {
        return statements.rows(SEARCH, row -> row.getString("product_id"), text, most, first);
    }

    @Override
    public List<String> ofCategory(String categoryId, int first, int most) {
        return statements.rows(OF_CATEGORY, row -> row.getString("product_id"), categoryId, most, first);
    }

    @Override
    public List<Product> products(Collection<String> productIds) {
        return statements.rows(PRODUCTS, JdbcCatalog::product, productIds);
    }

    @Override
    public Optional<ProductWithItems> product(String productId) {
        List<Item> rows = statements.rows(PRODUCT, JdbcCatalog::item, productId);
        List<Item> items = rows.stream().filter(item -> item.itemId() != null).toList();
        return rows.stream().findFirst().map(row -> new ProductWithItems(row.product(), items));
    }

    @Override
    public List<Item> items(Collection<String> itemIds) {
        return statements.rows(ITEMS, JdbcCatalog::item, itemIds);
    }

    @Override
    public Map<String, Long> inventory(Collection<String> itemIds) {
        return statements.rows(INVENTORY, row -> new Stock(row.getString("item_id"), row.getLong("quantity")), itemIds)
                .stream().collect(Collectors.toMap(Stock::itemId, Stock::quantity));
    }

    @Override
    public boolean take(String itemId, int quantity) {
        return statements.change(TAKE, quantity, itemId, quantity) == 1;
    }

    private static Product product(ResultSet row) throws SQLException {
        return new Product(row.getString("product_id"), row.getString("name"), row.getString("description"));
    }

    private static Item item(ResultSet row) throws SQLException {
        return new Item(row.getString("item_id"), product(row), row.getString("item_name"), row.getBigDecimal("price"));
    }
}
