package org.middlemark.remoting.protobuf;

import java.util.List;
import java.util.Optional;
import middlemark.remoting.v1.RemotingOuterClass;
import org.middlemark.remoting.domain.Address;
import org.middlemark.remoting.domain.Customer;
import org.middlemark.remoting.domain.Order;
import org.middlemark.remoting.domain.OrderLine;
import org.middlemark.remoting.domain.Product;
import org.middlemark.remoting.domain.TableSet;
import org.middlemark.remoting.domain.WrittenValues;
import org.middlemark.remoting.tables.TableDocuments;

/** Messages of objects. */
public final class Messages {
    /** The message without anything in it. */
    public static final RemotingOuterClass.Nothing NOTHING = RemotingOuterClass.Nothing.getDefaultInstance();

    private Messages() {
    }

    public static RemotingOuterClass.OrderId orderId(long orderId) {
        return RemotingOuterClass.OrderId.newBuilder().setOrderId(orderId).build();
    }

    public static RemotingOuterClass.CustomerId customerId(String customerId) {
        return RemotingOuterClass.CustomerId.newBuilder().setCustomerId(customerId).build();
    }

    public static RemotingOuterClass.TableSet tables(TableSet tables) {
        return RemotingOuterClass.TableSet.newBuilder().setXml(TableDocuments.write(tables)).build();
    }

    /** An order to store, without an id. */
    public static RemotingOuterClass.Order order(Order order) {
        RemotingOuterClass.Order.Builder message = RemotingOuterClass.Order.newBuilder()
                .setCustomerId(order.customerId()).setEmployeeId(order.employeeId())
                .setOrderDate(WrittenValues.text(order.orderDate())).setShipping(address(order.shipping()))
                .setBilling(address(order.billing())).setShipVia(order.shipVia())
                .setFreight(WrittenValues.text(order.freight()));
        order.lines().forEach(line -> message.addLines(line(line)));
        return message.build();
    }

    private static RemotingOuterClass.Address address(Address address) {
        return RemotingOuterClass.Address.newBuilder().setName(address.name()).setStreet(address.street())
                .setCity(address.city()).setRegion(address.region()).setPostalCode(address.postalCode())
                .setCountry(address.country()).build();
    }

    private static RemotingOuterClass.OrderLine line(OrderLine line) {
        return RemotingOuterClass.OrderLine.newBuilder().setProductId(line.productId())
                .setUnitPrice(line.unitPrice()).setQuantity(line.quantity()).setDiscount(line.discount()).build();
    }

    public static RemotingOuterClass.Products products(List<Product> products) {
        RemotingOuterClass.Products.Builder message = RemotingOuterClass.Products.newBuilder();
        products.forEach(product -> message.addProducts(product(product)));
        return message.build();
    }

    private static RemotingOuterClass.Product product(Product product) {
        return RemotingOuterClass.Product.newBuilder().setProductId(product.productId()).setName(product.name())
                .setSupplierId(product.supplierId()).setCategoryId(product.categoryId())
                .setQuantityPerUnit(product.quantityPerUnit())
                .setUnitPrice(WrittenValues.text(product.unitPrice())).setUnitsInStock(product.unitsInStock())
                .setUnitsOnOrder(product.unitsOnOrder()).setReorderLevel(product.reorderLevel())
                .setDiscontinued(product.discontinued()).build();
    }

    /** A customer, or the message that has none. */
    public static RemotingOuterClass.FoundCustomer customer(Optional<Customer> customer) {
        RemotingOuterClass.FoundCustomer.Builder message = RemotingOuterClass.FoundCustomer.newBuilder();
        customer.map(Messages::customer).ifPresent(message::setCustomer);
        return message.build();
    }

    private static RemotingOuterClass.Customer customer(Customer customer) {
        return RemotingOuterClass.Customer.newBuilder().setCustomerId(customer.customerId())
                .setCompanyName(customer.companyName()).setContactName(customer.contactName())
                .setContactTitle(customer.contactTitle()).setAddress(customer.address()).setCity(customer.city())
                .setRegion(customer.region()).setPostalCode(customer.postalCode()).setCountry(customer.country())
                .setPhone(customer.phone()).setFax(customer.fax()).build();
    }
}
