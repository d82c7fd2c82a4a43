package org.middlemark.remoting.soap;

import java.util.List;
import org.middlemark.remoting.domain.Address;
import org.middlemark.remoting.domain.Customer;
import org.middlemark.remoting.domain.Order;
import org.middlemark.remoting.domain.OrderLine;
import org.middlemark.remoting.domain.Product;
import org.middlemark.remoting.domain.TableSet;
import org.middlemark.remoting.domain.WrittenValues;
import org.middlemark.remoting.soap.wire.StoreOrder;
import org.middlemark.remoting.soap.wire.tables.Column;
import org.middlemark.remoting.soap.wire.tables.Row;
import org.middlemark.remoting.soap.wire.tables.Table;

/** Generated beans of objects. */
public final class Beans {
    private Beans() {
    }

    /** The request that stores an order. */
    public static StoreOrder order(Order order) {
        StoreOrder bean = new StoreOrder();
        bean.setCustomerId(order.customerId());
        bean.setEmployeeId(order.employeeId());
        bean.setOrderDate(WrittenValues.text(order.orderDate()));
        bean.setShipping(address(order.shipping()));
        bean.setBilling(address(order.billing()));
        bean.setShipVia(order.shipVia());
        bean.setFreight(order.freight());
        order.lines().forEach(line -> bean.getLine().add(line(line)));
        return bean;
    }

    private static org.middlemark.remoting.soap.wire.Address address(Address address) {
        var bean = new org.middlemark.remoting.soap.wire.Address();
        bean.setName(address.name());
        bean.setStreet(address.street());
        bean.setCity(address.city());
        bean.setRegion(address.region());
        bean.setPostalCode(address.postalCode());
        bean.setCountry(address.country());
        return bean;
    }

    private static org.middlemark.remoting.soap.wire.OrderLine line(OrderLine line) {
        var bean = new org.middlemark.remoting.soap.wire.OrderLine();
        bean.setProductId(line.productId());
        bean.setUnitPrice(line.unitPrice());
        bean.setQuantity(line.quantity());
        bean.setDiscount(line.discount());
        return bean;
    }

    static org.middlemark.remoting.soap.wire.Product product(Product product) {
        var bean = new org.middlemark.remoting.soap.wire.Product();
        bean.setProductId(product.productId());
        bean.setName(product.name());
        bean.setSupplierId(product.supplierId());
        bean.setCategoryId(product.categoryId());
        bean.setQuantityPerUnit(product.quantityPerUnit());
        bean.setUnitPrice(product.unitPrice());
        bean.setUnitsInStock(product.unitsInStock());
        bean.setUnitsOnOrder(product.unitsOnOrder());
        bean.setReorderLevel(product.reorderLevel());
        bean.setDiscontinued(product.discontinued());
        return bean;
    }

    static org.middlemark.remoting.soap.wire.Customer customer(Customer customer) {
        var bean = new org.middlemark.remoting.soap.wire.Customer();
        bean.setCustomerId(customer.customerId());
        bean.setCompanyName(customer.companyName());
        bean.setContactName(customer.contactName());
        bean.setContactTitle(customer.contactTitle());
        bean.setAddress(customer.address());
        bean.setCity(customer.city());
        bean.setRegion(customer.region());
        bean.setPostalCode(customer.postalCode());
        bean.setCountry(customer.country());
        bean.setPhone(customer.phone());
        bean.setFax(customer.fax());
        return bean;
    }

    /** A table set as elements. */
    public static org.middlemark.remoting.soap.wire.tables.TableSet tables(TableSet tables) {
        var bean = new org.middlemark.remoting.soap.wire.tables.TableSet();
        tables.tables().forEach(table -> bean.getTable().add(table(table)));
        return bean;
    }

    private static Table table(TableSet.Table table) {
        Table bean = new Table();
        bean.setName(table.name());
        for (TableSet.Column column : table.columns()) {
            Column element = new Column();
            element.setName(column.name());
            element.setType(column.type());
            bean.getColumn().add(element);
        }
        table.rows().forEach(row -> bean.getRow().add(row(row)));
        return bean;
    }

    private static Row row(List<String> values) {
        Row bean = new Row();
        for (String value : values) {
            bean.getValueOrNull().add(value == null ? new Row.Null() : value);
        }
        return bean;
    }
}
