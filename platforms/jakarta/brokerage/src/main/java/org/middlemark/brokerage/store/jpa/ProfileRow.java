package org.middlemark.brokerage.store.jpa;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import org.middlemark.brokerage.domain.Profile;
import org.middlemark.brokerage.domain.Registration;

/** A row of the table profiles. */
@Entity
@Table(name = "profiles")
public class ProfileRow {
    @Id
    @Column(name = "user_id")
    private String userId;
    private String password;
    @Column(name = "full_name")
    private String fullName;
    private String address;
    private String email;
    @Column(name = "credit_card")
    private String creditCard;

    protected ProfileRow() {
    }

    ProfileRow(Registration registration) {
        userId = registration.profile().userId();
        password = registration.password();
        write(registration.profile());
    }

    void setPassword(String password) {
        this.password = password;
    }

    void write(Profile profile) {
        fullName = profile.fullName();
        address = profile.address();
        email = profile.email();
        creditCard = profile.creditCard();
    }

    Profile profile() {
        return new Profile(userId, fullName, address, email, creditCard);
    }
}
