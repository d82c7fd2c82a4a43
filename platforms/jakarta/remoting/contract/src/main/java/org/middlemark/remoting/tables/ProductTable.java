package org.middlemark.remoting.tables;

import java.math.BigDecimal;
import java.util.List;
import org.middlemark.remoting.domain.Product;
import org.middlemark.remoting.domain.TableSet;

/** Products out of a table set, by the names of its columns. */
public final class ProductTable {
    private ProductTable() {
    }

    /** The rows of the table {@code products}. */
    public static List<Product> products(TableSet tables) {
        return NamedRows.of(tables, "products").stream().map(ProductTable::product).toList();
    }

    private static Product product(NamedRow row) {
        return new Product(row.whole("product_id"), row.text("name"), row.whole("supplier_id"),
                row.whole("category_id"), row.text("quantity_per_unit"), new BigDecimal(row.text("unit_price")),
                row.whole("units_in_stock"), row.whole("units_on_order"), row.whole("reorder_level"),
                Boolean.parseBoolean(row.text("discontinued")));
    }
}
