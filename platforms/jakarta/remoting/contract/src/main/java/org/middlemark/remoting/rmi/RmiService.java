package org.middlemark.remoting.rmi;

import java.rmi.Remote;
import java.rmi.RemoteException;
import java.util.List;
import org.middlemark.remoting.domain.Customer;
import org.middlemark.remoting.domain.Order;
import org.middlemark.remoting.domain.Product;

/** The operations over Java RMI, the platform's own protocol. A table set is its document, as over every protocol. */
public interface RmiService extends Remote {
    /** Its name in the registry, which is at the same port. */
    String NAME = "remoting";

    void ping() throws RemoteException, RefusedCall;

    long storeOrder(Order order) throws RemoteException, RefusedCall;

    long storeOrderTables(String document) throws RemoteException, RefusedCall;

    List<Product> loadProducts() throws RemoteException, RefusedCall;

    String loadProductsTables() throws RemoteException, RefusedCall;

    List<Product> loadProductsConverted() throws RemoteException, RefusedCall;

    /** The customer; null where there is none, because an Optional cannot travel. */
    Customer loadCustomer(String customerId) throws RemoteException, RefusedCall;

    String loadCustomerTables(String customerId) throws RemoteException, RefusedCall;
}
