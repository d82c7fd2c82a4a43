package org.middlemark.brokerage.domain;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.math.BigDecimal;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.middlemark.refusals.Code;
import org.middlemark.refusals.Refusal;

class LimitsTest {
    private static final Profile ADA = new Profile("ada", "Ada", "", "", "");

    @Test
    void aTextMayBeAsLongAsItsLimit() {
        assertDoesNotThrow(() -> Limits.symbol("s".repeat(20)));
        assertRefused("The symbol has more than 20 characters.", () -> Limits.symbol("s".repeat(21)));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 9, 0x1f, 0x7f, 0x85, 0x9f})
    void controlCharactersAreRefused(int character) {
        String text = "a" + Character.toString(character) + "b";
        assertRefused("The user id must not contain control characters.", () -> Limits.userId(text));
    }

    @Test
    void blanksAtTheEndsAreRefused() {
        assertRefused("The user id must neither begin nor end with white space.", () -> Limits.userId(" ada"));
        assertRefused("The user id must neither begin nor end with white space.", () -> Limits.userId("ada "));
        assertDoesNotThrow(() -> Limits.userId("a da"));
    }

    @Test
    void onlyAddressEmailAndCreditCardMayBeEmpty() {
        assertDoesNotThrow(() -> Limits.profile(ADA));
        assertRefused("The user id is missing.", () -> Limits.userId(""));
        assertRefused("The user id is missing.", () -> Limits.userId(null));
        assertRefused("The email is missing.", () -> Limits.profile(new Profile("ada", "Ada", "", null, "")));
        assertRefused("The full name is missing.", () -> Limits.profile(new Profile("ada", "", "", "", "")));
        assertDoesNotThrow(() -> Limits.newPassword(""));
        assertRefused("The password is missing.", () -> Limits.password(""));
    }

    @Test
    void theNumberOfSymbolsIsCheckedBeforeEachOfThem() {
        assertRefused("Ask for 1 to 20 symbols.", () -> Limits.symbols(null));
        assertRefused("Ask for 1 to 20 symbols.", () -> Limits.symbols(List.of()));
        assertRefused("Ask for 1 to 20 symbols.", () -> Limits.symbols(Collections.nCopies(21, "")));
        assertRefused("The symbol is missing.", () -> Limits.symbols(List.of("s:1", "")));
    }

    @Test
    void theOpeningBalanceIsTheLastThingCheckedOfARegistration() {
        BigDecimal tooMuch = new BigDecimal("1000000000.00");
        assertRefused("The opening balance must be an amount from 0.00 to 999999999.99.",
                () -> Limits.registration(new Registration(ADA, "xxx", tooMuch)));
        assertRefused("The password is missing.", () -> Limits.registration(new Registration(ADA, "", tooMuch)));
        assertDoesNotThrow(() -> Limits.registration(new Registration(ADA, "xxx", new BigDecimal("999999999.99"))));
    }

    private static void assertRefused(String message, Executable check) {
        Refusal refusal = assertThrows(Refusal.class, check);
        assertEquals(Code.INVALID_INPUT, refusal.code());
        assertEquals(message, refusal.getMessage());
    }
}
