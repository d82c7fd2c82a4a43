package org.middlemark.petstore.store;

import java.util.Optional;
import org.middlemark.petstore.domain.Billing;
import org.middlemark.petstore.domain.Customer;

/** The users of the database orders. */
public interface Customers {
    /** The user with this password; nothing when there is none. */
    Optional<Customer> find(String userId, String password);

    /** The billing of a user, who exists. */
    Billing billing(String userId);
}
