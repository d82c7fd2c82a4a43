package org.middlemark.remoting.rmi;

import java.util.List;
import java.util.function.Supplier;
import org.middlemark.refusals.Refusal;
import org.middlemark.remoting.domain.Customer;
import org.middlemark.remoting.domain.Order;
import org.middlemark.remoting.domain.Product;
import org.middlemark.remoting.domain.Service;
import org.middlemark.remoting.domain.Unforeseen;
import org.middlemark.remoting.domain.Unreadable;
import org.middlemark.remoting.tables.TableDocuments;

/** The operations over Java RMI. */
final class RmiCalls implements RmiService {
    private final Service service;

    RmiCalls(Service service) {
        this.service = service;
    }

    @Override
    public void ping() throws RefusedCall {
        answer(() -> {
            service.ping();
            return RmiService.NAME;
        });
    }

    @Override
    public long storeOrder(Order order) throws RefusedCall {
        return answer(() -> service.storeOrder(order));
    }

    @Override
    public long storeOrderTables(String document) throws RefusedCall {
        return answer(() -> service.storeOrderTables(Unreadable.request(() -> TableDocuments.read(document))));
    }

    @Override
    public List<Product> loadProducts() throws RefusedCall {
        return answer(service::loadProducts);
    }

    @Override
    public String loadProductsTables() throws RefusedCall {
        return answer(() -> TableDocuments.write(service.loadProductsTables()));
    }

    @Override
    public List<Product> loadProductsConverted() throws RefusedCall {
        return answer(service::loadProductsConverted);
    }

    @Override
    public Customer loadCustomer(String customerId) throws RefusedCall {
        return answer(() -> service.loadCustomer(customerId).orElse(null));
    }

    @Override
    public String loadCustomerTables(String customerId) throws RefusedCall {
        return answer(() -> TableDocuments.write(service.loadCustomerTables(customerId)));
    }

    private static <T> T answer(Supplier<T> operation) throws RefusedCall {
        try {
            return Unforeseen.asInternal(operation);
        } catch (Refusal refusal) {
            throw new RefusedCall(refusal);
        }
    }
}
