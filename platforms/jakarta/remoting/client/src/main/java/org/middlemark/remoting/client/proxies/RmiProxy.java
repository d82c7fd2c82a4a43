package org.middlemark.remoting.client.proxies;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.rmi.NotBoundException;
import java.util.List;
import java.util.Optional;
import org.middlemark.remoting.domain.Customer;
import org.middlemark.remoting.domain.Order;
import org.middlemark.remoting.domain.Product;
import org.middlemark.remoting.domain.TableSet;
import org.middlemark.remoting.rmi.RefusedCall;
import org.middlemark.remoting.rmi.RmiService;
import org.middlemark.remoting.rmi.RmiSockets;
import org.middlemark.remoting.tables.TableDocuments;

/** Java RMI, which keeps its connections itself. */
final class RmiProxy implements Proxy {
    private final RmiSockets sockets;
    private final boolean isShared;
    private RmiService service;

    RmiProxy(InetSocketAddress address, boolean isShared) {
        sockets = new RmiSockets(address);
        this.isShared = isShared;
    }

    /** A call of the service. */
    @FunctionalInterface
    private interface Call<A> {
        A on(RmiService service) throws IOException, RefusedCall;
    }

    /**
     * After a failure the service is looked up again: one that was started anew does not know the old reference. The
     * look-up and the renewal of the reference leave connections that a call with its own must not use.
     */
    private <A> A call(Call<A> call) {
        try {
            if (service == null) {
                service = sockets.lookUp();
            }
            if (!isShared) {
                sockets.disconnect();
            }
            return call.on(service);
        } catch (RefusedCall refused) {
            throw refused.refusal();
        } catch (IOException failure) {
            service = null;
            throw new UncheckedIOException(failure);
        } catch (NotBoundException absent) {
            throw new IllegalStateException("the registry does not know the service", absent);
        }
    }

    @Override
    public void ping() {
        call(remote -> {
            remote.ping();
            return RmiService.NAME;
        });
    }

    @Override
    public long storeOrder(Order order) {
        return call(remote -> remote.storeOrder(order));
    }

    @Override
    public long storeOrderTables(TableSet order) {
        return call(remote -> remote.storeOrderTables(TableDocuments.write(order)));
    }

    @Override
    public List<Product> loadProducts() {
        return call(RmiService::loadProducts);
    }

    @Override
    public TableSet loadProductsTables() {
        return TableDocuments.read(call(RmiService::loadProductsTables));
    }

    @Override
    public List<Product> loadProductsConverted() {
        return call(RmiService::loadProductsConverted);
    }

    @Override
    public Optional<Customer> loadCustomer(String customerId) {
        return Optional.ofNullable(call(remote -> remote.loadCustomer(customerId)));
    }

    @Override
    public TableSet loadCustomerTables(String customerId) {
        return TableDocuments.read(call(remote -> remote.loadCustomerTables(customerId)));
    }

    @Override
    public void disconnect() {
        try {
            sockets.disconnect();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
