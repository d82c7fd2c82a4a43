package org.middlemark.brokerage.store.jpa;

import jakarta.ejb.Stateless;
import java.util.function.Supplier;

/** The transaction of an operation that the store carries out alone; the caller's where there is one. */
@Stateless
public class OwnTransaction {
    public <T> T carryOut(Supplier<T> operation) {
        return operation.get();
    }
}
