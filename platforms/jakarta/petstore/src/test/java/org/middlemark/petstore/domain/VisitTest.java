package org.middlemark.petstore.domain;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.middlemark.refusals.Refusal;

class VisitTest {
    private static final Address HOME = new Address("Ada", "Lovelace", "1 Market Street", "", "Springfield", "OR",
            "97000", "USA", "555-0000");
    private static final Address BANK = new Address("Ada", "Lovelace", "1 Bank Street", "Floor 1", "Springfield", "OR",
            "97000", "USA", "555-0000");
    private static final Card CARD = new Card("Visa", "4000", "01/2035");

    private final Visit visit = new Visit();

    @BeforeEach
    void cartOfACustomer() {
        visit.signIn(new Customer("user:1", HOME));
        visit.add("i:9-0");
        visit.add("i:10-1");
        visit.add("i:9-0");
    }

    @Test
    void piecesAreByItemIdInTheOrderOfCodePoints() {
        assertEquals(List.of("i:10-1", "i:9-0"), List.copyOf(visit.pieces().keySet()));
        assertEquals(Map.of("i:10-1", 1, "i:9-0", 2), visit.pieces());
    }

    @Test
    void aCartHoldsAHundredPieces() {
        for (int piece = 3; piece < 100; piece++) {
            visit.add("i:1-0");
        }
        assertEquals(Codes.CART_FULL, assertThrows(Refusal.class, () -> visit.add("i:2-0")).code());
        assertEquals(97, visit.pieces().get("i:1-0"));
    }

    @Test
    void nothingIsConfirmedBeforeBillingHasBeenShown() {
        assertEquals(Optional.empty(), visit.confirm(CARD));
    }

    @Test
    void aConfirmationHasTheAddressesThatWereShownAndTheCardThatWasTyped() {
        Confirmation confirmed = confirmed();
        assertEquals(new Confirmation(confirmed.orderKey(), "user:1", visit.pieces(), CARD, BANK, HOME), confirmed);
    }

    @Test
    void theLatestKeyCounts() {
        UUID first = confirmed().orderKey();
        UUID second = confirmed().orderKey();
        assertNotEquals(first, second);
        assertTrue(visit.confirmed(first).isEmpty());
        assertTrue(visit.confirmed(second).isPresent());
    }

    @Test
    void anotherPieceEndsAConfirmedCheckout() {
        UUID key = confirmed().orderKey();
        visit.add("i:9-0");
        assertTrue(visit.confirmed(key).isEmpty());
        visit.placed(key);
        assertEquals(3, visit.pieces().get("i:9-0"));
    }

    @Test
    void whoSignsInKeepsTheCartAndEndsTheCheckout() {
        UUID key = confirmed().orderKey();
        visit.signIn(new Customer("user:2", BANK));
        assertTrue(visit.confirmed(key).isEmpty());
        assertEquals(Optional.empty(), visit.confirm(CARD));
        assertEquals(2, visit.pieces().size());
    }

    @Test
    void anOrderEmptiesTheCart() {
        visit.placed(confirmed().orderKey());
        assertTrue(visit.pieces().isEmpty());
    }

    private Confirmation confirmed() {
        visit.show(new Billing(new Card("MasterCard", "5000", "02/2036"), BANK));
        return visit.confirm(CARD).orElseThrow();
    }
}
