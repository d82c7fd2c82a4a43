package org.middlemark.petstore.store.jpa;

import java.util.Optional;
import org.middlemark.database.Entities;
import org.middlemark.petstore.domain.Billing;
import org.middlemark.petstore.domain.Customer;
import org.middlemark.petstore.store.Customers;

final class JpaCustomers implements Customers {
    private final Entities entities;

    JpaCustomers(Entities entities) {
        this.entities = entities;
    }

    @Override
    public Optional<Customer> find(String userId, String password) {
        return entities.find(UserRow.class, userId).filter(user -> user.hasPassword(password)).map(UserRow::customer);
    }

    @Override
    public Billing billing(String userId) {
        return entities.find(BillingRow.class, userId).orElseThrow().billing();
    }
}
