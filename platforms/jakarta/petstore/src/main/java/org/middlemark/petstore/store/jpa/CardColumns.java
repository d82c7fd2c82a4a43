package org.middlemark.petstore.store.jpa;

import jakarta.persistence.Column;
import jakarta.persistence.Embeddable;
import org.middlemark.petstore.domain.Card;

/** The columns of a card. */
@Embeddable
public class CardColumns {
    @Column(name = "card_type")
    private String type;
    @Column(name = "card_number")
    private String number;
    @Column(name = "card_expiration")
    private String expiration;

    protected CardColumns() {
    }

    CardColumns(Card card) {
        type = card.type();
        number = card.number();
        expiration = card.expiration();
    }

    Card card() {
        return new Card(type, number, expiration);
    }
}
