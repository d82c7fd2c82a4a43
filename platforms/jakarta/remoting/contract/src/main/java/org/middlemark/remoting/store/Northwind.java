package org.middlemark.remoting.store;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.middlemark.database.Deadline;
import org.middlemark.refusals.Refusal;
import org.middlemark.remoting.domain.Address;
import org.middlemark.remoting.domain.Customer;
import org.middlemark.remoting.domain.Order;
import org.middlemark.remoting.domain.OrderLine;
import org.middlemark.remoting.domain.Product;
import org.middlemark.remoting.domain.TableSet;

/** The statements. Each method uses the connection of its caller and leaves the transaction to it. */
final class Northwind {
    private static final String PRODUCTS = """
            SELECT product_id, name, supplier_id, category_id, quantity_per_unit, unit_price, units_in_stock,
                   units_on_order, reorder_level, discontinued
            FROM products ORDER BY product_id""";
    private static final String CUSTOMER = """
            SELECT customer_id, company_name, contact_name, contact_title, address, city, region, postal_code, country,
                   phone, fax
            FROM customers WHERE customer_id = ?""";
    private static final String STORE_ORDER = """
            INSERT INTO orders (customer_id, employee_id, order_date, required_date, shipped_date, ship_via, freight,
                                ship_name, ship_street, ship_city, ship_region, ship_postal_code, ship_country)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING order_id""";
    private static final String STORE_LINE = """
            INSERT INTO order_lines (order_id, line_number, product_id, unit_price, quantity, discount)
            VALUES (?, ?, ?, ?, ?, ?)""";

    private static final String FOREIGN_KEY_VIOLATION = "23503";
    private static final int PRICE_DECIMALS = 4;
    /** So many digits distinguish every double from its neighbours. */
    private static final int MAX_DIGITS = 17;

    private Northwind() {
    }

    static List<Product> products(Connection connection) throws SQLException {
        try (PreparedStatement statement = prepared(connection, PRODUCTS); ResultSet row = statement.executeQuery()) {
            List<Product> products = new ArrayList<>();
            while (row.next()) {
                products.add(new Product(row.getInt("product_id"), row.getString("name"), row.getInt("supplier_id"),
                        row.getInt("category_id"), row.getString("quantity_per_unit"),
                        row.getBigDecimal("unit_price"), row.getInt("units_in_stock"), row.getInt("units_on_order"),
                        row.getInt("reorder_level"), row.getBoolean("discontinued")));
            }
            return products;
        }
    }

    static TableSet productsTable(Connection connection) throws SQLException {
        try (PreparedStatement statement = prepared(connection, PRODUCTS); ResultSet rows = statement.executeQuery()) {
            return TableSet.of(ResultTables.table("products", rows));
        }
    }

    static Optional<Customer> customer(Connection connection, String customerId) throws SQLException {
        try (PreparedStatement statement = prepared(connection, CUSTOMER)) {
            statement.setString(1, customerId);
            try (ResultSet row = statement.executeQuery()) {
                return row.next() ? Optional.of(customer(row)) : Optional.empty();
            }
        }
    }

    private static Customer customer(ResultSet row) throws SQLException {
        String region = row.getString("region");
        return new Customer(row.getString("customer_id"), row.getString("company_name"),
                row.getString("contact_name"), row.getString("contact_title"), row.getString("address"),
                row.getString("city"), region == null ? "" : region, row.getString("postal_code"),
                row.getString("country"), row.getString("phone"), row.getString("fax"));
    }

    static TableSet customerTable(Connection connection, String customerId) throws SQLException {
        try (PreparedStatement statement = prepared(connection, CUSTOMER)) {
            statement.setString(1, customerId);
            try (ResultSet rows = statement.executeQuery()) {
                return TableSet.of(ResultTables.table("customers", rows));
            }
        }
    }

    /** Stores an order and its lines, each by a round trip of its own. The result is its id. */
    static long store(Connection connection, Order order) throws SQLException {
        long orderId = storeOrder(connection, order);
        try (PreparedStatement statement = connection.prepareStatement(STORE_LINE)) {
            int number = 0;
            for (OrderLine line : order.lines()) {
                number++;
                storeLine(statement, orderId, number, line);
            }
        }
        return orderId;
    }

    private static long storeOrder(Connection connection, Order order) throws SQLException {
        Address shipping = order.shipping();
        Object[] values = {
            order.customerId(), order.employeeId(), order.orderDate(), order.requiredDate(), order.shippedDate(),
            order.shipVia(), order.freight(), shipping.name(), shipping.street(), shipping.city(), shipping.region(),
            shipping.postalCode(), shipping.country(),
        };
        try (PreparedStatement statement = prepared(connection, STORE_ORDER)) {
            for (int i = 0; i < values.length; i++) {
                statement.setObject(i + 1, values[i]);
            }
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return row.getLong(1);
            }
        } catch (SQLException failure) {
            throw refused(failure, "customerId is not that of a customer.");
        }
    }

    private static void storeLine(PreparedStatement statement, long orderId, int number, OrderLine line)
            throws SQLException {
        try {
            statement.setQueryTimeout(Deadline.secondsLeft());
            statement.setLong(1, orderId);
            statement.setShort(2, (short) number);
            statement.setInt(3, line.productId());
            statement.setBigDecimal(4, storedPrice(line.unitPrice()));
            statement.setShort(5, (short) line.quantity());
            statement.setFloat(6, (float) line.discount());
            statement.executeUpdate();
        } catch (SQLException failure) {
            throw refused(failure, "productId " + line.productId() + " is not that of a product.");
        }
    }

    /** The shortest decimal text of a price, rounded to four decimals half away from zero. */
    static BigDecimal storedPrice(double price) {
        BigDecimal text = BigDecimal.valueOf(price);
        return (text.scale() <= PRICE_DECIMALS ? text : shortest(price))
                .setScale(PRICE_DECIMALS, RoundingMode.HALF_UP);
    }

    /** Double.toString finds the shortest text only since Java 19 (JDK-4511638). */
    private static BigDecimal shortest(double number) {
        BigDecimal exact = new BigDecimal(number);
        for (int digits = 1; digits < MAX_DIGITS; digits++) {
            BigDecimal rounded = exact.round(new MathContext(digits, RoundingMode.HALF_EVEN));
            if (rounded.doubleValue() == number) {
                return rounded;
            }
        }
        return exact.round(new MathContext(MAX_DIGITS, RoundingMode.HALF_EVEN));
    }

    private static PreparedStatement prepared(Connection connection, String sql) throws SQLException {
        int seconds = Deadline.secondsLeft();
        PreparedStatement statement = connection.prepareStatement(sql);
        statement.setQueryTimeout(seconds);
        return statement;
    }

    /** A key that does not exist is the client's fault; any other failure stays as it is. */
    private static SQLException refused(SQLException failure, String message) {
        if (FOREIGN_KEY_VIOLATION.equals(failure.getSQLState())) {
            throw Refusal.invalid(message);
        }
        return failure;
    }
}
