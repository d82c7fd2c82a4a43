package org.middlemark.petstore.store.jpa;

import jakarta.persistence.Column;
import jakarta.persistence.Embedded;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import org.middlemark.petstore.domain.Billing;

/** A row of the table billing. */
@Entity
@Table(name = "billing")
public class BillingRow {
    @Id
    @Column(name = "user_id")
    private String userId;
    @Embedded
    private CardColumns card;
    @Embedded
    private AddressColumns address;

    protected BillingRow() {
    }

    Billing billing() {
        return new Billing(card.card(), address.address());
    }
}
