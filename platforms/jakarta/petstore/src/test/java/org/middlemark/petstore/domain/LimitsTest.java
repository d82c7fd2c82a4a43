package org.middlemark.petstore.domain;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.middlemark.refusals.Refusal;

class LimitsTest {
    @Test
    void aPageThatIsMissingIsTheFirst() {
        assertEquals(1, Limits.page(""));
        assertEquals(1000, Limits.page("1000"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "1001", "-1", "1.0", "x", "99999999999999999999"})
    void aPageOutsideItsLimitsIsRefused(String sent) {
        assertRefused("The page must be a whole number from 1 to 1000.", () -> Limits.page(sent));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "0", "-1", "x", "99999999999999999999"})
    void anOrderIdOutsideItsLimitsIsRefused(String sent) {
        assertRefused("The order id must be a whole number from 1.", () -> Limits.orderId(sent));
    }

    @Test
    void theFieldsOfACardHaveTheirLimits() {
        assertRefused("The card type is missing.", () -> Limits.card(new Card("", "1", "1")));
        assertRefused("The card number has more than 40 characters.",
                () -> Limits.card(new Card("Visa", "1".repeat(41), "1")));
        assertRefused("The card expiration has more than 10 characters.",
                () -> Limits.card(new Card("Visa", "1", "1".repeat(11))));
        assertRefused("The card type must neither begin nor end with white space.",
                () -> Limits.card(new Card(" Visa", "1", "1")));
    }

    private static void assertRefused(String message, Executable check) {
        assertEquals(message, assertThrows(Refusal.class, check).getMessage());
    }
}
