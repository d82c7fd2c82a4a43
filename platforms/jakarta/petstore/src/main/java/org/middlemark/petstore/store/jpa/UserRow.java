package org.middlemark.petstore.store.jpa;

import jakarta.persistence.Column;
import jakarta.persistence.Embedded;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import org.middlemark.petstore.domain.Customer;

/** A row of the table users. */
@Entity
@Table(name = "users")
public class UserRow {
    @Id
    @Column(name = "user_id")
    private String userId;
    private String password;
    @Embedded
    private AddressColumns profile;

    protected UserRow() {
    }

    boolean hasPassword(String other) {
        return password.equals(other);
    }

    Customer customer() {
        return new Customer(userId, profile.address());
    }
}
