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

/** Objects of messages. A text that is not as the contract has it is Unreadable. */
public final class Records {
    private Records() {
    }

    public static TableSet tables(RemotingOuterClass.TableSet message) {
        return TableDocuments.read(message.getXml());
    }

    public static Order order(RemotingOuterClass.Order message) {
        return new Order(message.getCustomerId(), message.getEmployeeId(),
                WrittenValues.time("order_date", message.getOrderDate()),
                message.hasShipping() ? address(message.getShipping()) : null,
                message.hasBilling() ? address(message.getBilling()) : null, message.getShipVia(),
                WrittenValues.decimal("freight", message.getFreight()),
                message.getLinesList().stream().map(Records::line).toList());
    }

    private static Address address(RemotingOuterClass.Address message) {
        return new Address(message.getName(), message.getStreet(), message.getCity(), message.getRegion(),
                message.getPostalCode(), message.getCountry());
    }

    private static OrderLine line(RemotingOuterClass.OrderLine message) {
        return new OrderLine(message.getProductId(), message.getUnitPrice(), message.getQuantity(),
                message.getDiscount());
    }

    public static List<Product> products(RemotingOuterClass.Products message) {
        return message.getProductsList().stream().map(Records::product).toList();
    }

    private static Product product(RemotingOuterClass.Product message) {
        return new Product(message.getProductId(), message.getName(), message.getSupplierId(),
                message.getCategoryId(), message.getQuantityPerUnit(),
                WrittenValues.decimal("unit_price", message.getUnitPrice()), message.getUnitsInStock(),
                message.getUnitsOnOrder(), message.getReorderLevel(), message.getDiscontinued());
    }

    /** The customer; nothing where the message has none. */
    public static Optional<Customer> customer(RemotingOuterClass.FoundCustomer message) {
        return message.hasCustomer() ? Optional.of(customer(message.getCustomer())) : Optional.empty();
    }

    private static Customer customer(RemotingOuterClass.Customer message) {
        return new Customer(message.getCustomerId(), message.getCompanyName(), message.getContactName(),
                message.getContactTitle(), message.getAddress(), message.getCity(), message.getRegion(),
                message.getPostalCode(), message.getCountry(), message.getPhone(), message.getFax());
    }
}
