package org.middlemark.remoting.json;

import java.util.List;
import java.util.Optional;
import org.middlemark.refusals.Refusal;
import org.middlemark.remoting.domain.Customer;
import org.middlemark.remoting.domain.Product;
import org.middlemark.remoting.domain.TableSet;
import org.middlemark.remoting.domain.Unreadable;
import org.middlemark.remoting.tables.TableDocuments;

/** The objects of openapi.yaml that are not records of the domain. */
public final class JsonMessages {
    private JsonMessages() {
    }

    public record Nothing() {
    }

    public record OrderId(long orderId) {
    }

    public record CustomerId(String customerId) {
    }

    public record Products(List<Product> products) {
    }

    /** A customer; null is left out. */
    public record FoundCustomer(Customer customer) {
        public static FoundCustomer of(Optional<Customer> customer) {
            return new FoundCustomer(customer.orElse(null));
        }

        public Optional<Customer> found() {
            return Optional.ofNullable(customer);
        }
    }

    /** A table set as the text of its document. */
    public record Document(String xml) {
        public static Document of(TableSet tables) {
            return new Document(TableDocuments.write(tables));
        }

        /** The tables; Unreadable without a document or with another one. */
        public TableSet tables() {
            if (xml == null) {
                throw new Unreadable("xml is missing.");
            }
            return TableDocuments.read(xml);
        }
    }

    /** A refusal. */
    public record Failure(String code, String message) {
        public static Failure of(Refusal refusal) {
            return new Failure(refusal.code().word(), refusal.getMessage());
        }
    }
}
