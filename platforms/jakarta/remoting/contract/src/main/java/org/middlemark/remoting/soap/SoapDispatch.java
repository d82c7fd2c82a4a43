package org.middlemark.remoting.soap;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import org.middlemark.refusals.Refusal;
import org.middlemark.remoting.soap.wire.LoadCustomer;
import org.middlemark.remoting.soap.wire.LoadCustomerTables;
import org.middlemark.remoting.soap.wire.LoadProducts;
import org.middlemark.remoting.soap.wire.LoadProductsConverted;
import org.middlemark.remoting.soap.wire.LoadProductsTables;
import org.middlemark.remoting.soap.wire.Ping;
import org.middlemark.remoting.soap.wire.Remoting;
import org.middlemark.remoting.soap.wire.StoreOrder;
import org.middlemark.remoting.soap.wire.StoreOrderTables;

/** Finds the operation of a bean, which has its name. */
public final class SoapDispatch {
    private final Map<Class<?>, Function<Object, Object>> operations = new LinkedHashMap<>();

    public SoapDispatch(Remoting calls) {
        add(Ping.class, calls::ping);
        add(StoreOrder.class, calls::storeOrder);
        add(StoreOrderTables.class, calls::storeOrderTables);
        add(LoadProducts.class, calls::loadProducts);
        add(LoadProductsTables.class, calls::loadProductsTables);
        add(LoadProductsConverted.class, calls::loadProductsConverted);
        add(LoadCustomer.class, calls::loadCustomer);
        add(LoadCustomerTables.class, calls::loadCustomerTables);
    }

    private <Q> void add(Class<Q> request, Function<Q, ?> operation) {
        operations.put(request, bean -> operation.apply(request.cast(bean)));
    }

    /** The bean that answers a bean. */
    public Object answer(Object request) {
        Function<Object, Object> operation = operations.get(request.getClass());
        if (operation == null) {
            throw Refusal.invalid("The message has no operation.");
        }
        return operation.apply(request);
    }
}
