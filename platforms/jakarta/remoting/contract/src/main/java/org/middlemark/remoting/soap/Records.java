package org.middlemark.remoting.soap;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.middlemark.remoting.domain.Address;
import org.middlemark.remoting.domain.Customer;
import org.middlemark.remoting.domain.Order;
import org.middlemark.remoting.domain.OrderLine;
import org.middlemark.remoting.domain.Product;
import org.middlemark.remoting.domain.TableSet;
import org.middlemark.remoting.domain.Unreadable;
import org.middlemark.remoting.domain.WrittenValues;
import org.middlemark.remoting.soap.wire.StoreOrder;
import org.middlemark.remoting.soap.wire.tables.Row;
import org.middlemark.remoting.soap.wire.tables.Table;
import org.middlemark.remoting.tables.TableDocuments;

/** Objects of generated beans. A value that is not as the contract has it is Unreadable. */
public final class Records {
    private Records() {
    }

    static Order order(StoreOrder bean) {
        return new Order(bean.getCustomerId(), needed("employeeId", bean.getEmployeeId()),
                WrittenValues.time("orderDate", bean.getOrderDate()), address(bean.getShipping()),
                address(bean.getBilling()), needed("shipVia", bean.getShipVia()),
                decimal("freight", bean.getFreight()), bean.getLine().stream().map(Records::line).toList());
    }

    private static Address address(org.middlemark.remoting.soap.wire.Address bean) {
        return bean == null ? null : new Address(bean.getName(), bean.getStreet(), bean.getCity(), bean.getRegion(),
                bean.getPostalCode(), bean.getCountry());
    }

    private static OrderLine line(org.middlemark.remoting.soap.wire.OrderLine bean) {
        return new OrderLine(needed("productId", bean.getProductId()), needed("unitPrice", bean.getUnitPrice()),
                needed("quantity", bean.getQuantity()), needed("discount", bean.getDiscount()));
    }

    private static <T> T needed(String name, T value) {
        if (value == null) {
            throw new Unreadable(name + " is missing.");
        }
        return value;
    }

    public static List<Product> products(List<org.middlemark.remoting.soap.wire.Product> beans) {
        return beans.stream().map(Records::product).toList();
    }

    private static Product product(org.middlemark.remoting.soap.wire.Product bean) {
        return new Product(bean.getProductId(), bean.getName(), bean.getSupplierId(), bean.getCategoryId(),
                bean.getQuantityPerUnit(), decimal("unitPrice", bean.getUnitPrice()), bean.getUnitsInStock(),
                bean.getUnitsOnOrder(), bean.getReorderLevel(), bean.isDiscontinued());
    }

    private static BigDecimal decimal(String name, BigDecimal value) {
        return WrittenValues.decimal(name, value == null ? null : value.toString());
    }

    /** The customer; nothing where the answer has none. */
    public static Optional<Customer> customer(org.middlemark.remoting.soap.wire.Customer bean) {
        return bean == null ? Optional.empty() : Optional.of(new Customer(bean.getCustomerId(), bean.getCompanyName(),
                bean.getContactName(), bean.getContactTitle(), bean.getAddress(), bean.getCity(), bean.getRegion(),
                bean.getPostalCode(), bean.getCountry(), bean.getPhone(), bean.getFax()));
    }

    /** The tables of the elements of a body. */
    public static TableSet tables(org.middlemark.remoting.soap.wire.tables.TableSet bean) {
        if (bean == null) {
            throw new Unreadable("tableSet is missing.");
        }
        return TableDocuments.checked(bean.getTable().stream().map(Records::table).toList());
    }

    private static TableSet.Table table(Table bean) {
        return new TableSet.Table(bean.getName(), bean.getColumn().stream()
                .map(column -> new TableSet.Column(column.getName(), column.getType())).toList(),
                bean.getRow().stream().map(Records::row).toList());
    }

    private static List<String> row(Row bean) {
        List<String> values = new ArrayList<>();
        for (Object value : bean.getValueOrNull()) {
            values.add(value instanceof String text ? text : null);
        }
        return values;
    }
}
