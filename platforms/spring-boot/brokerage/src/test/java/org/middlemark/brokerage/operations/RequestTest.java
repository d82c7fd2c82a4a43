package org.middlemark.brokerage.operations;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.middlemark.brokerage.errors.Refusal;

class RequestTest {

    @Test
    void textThatIsMissingIsRefused() {
        refuses(new Request.User(null), "The user id is missing.");
        refuses(new Request.User(""), "The user id is missing.");
        refuses(new Request.Login("uid:1", ""), "The password is missing.");
    }

    @Test
    void textAtItsLimitIsTakenAndOneBeyondIsRefused() {
        assertThatCode(new Request.OneSymbol("x".repeat(20))::check).doesNotThrowAnyException();
        refuses(new Request.OneSymbol("x".repeat(21)), "The symbol has more than 20 characters.");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a\u0000", "a\nb", "\u0085a", "a\ud800"})
    void controlCharactersAndHalfCharactersAreRefused(String text) {
        refuses(new Request.OneSymbol(text), "The symbol must not contain control characters.");
    }

    @Test
    void blanksAroundATextAreRefusedAndBlanksInItAreKept() {
        refuses(new Request.OneSymbol(" s:1"), "The symbol must neither begin nor end with white space.");
        refuses(new Request.OneSymbol("s:1 "), "The symbol must neither begin nor end with white space.");
        assertThatCode(new Request.OneSymbol("s 1")::check).doesNotThrowAnyException();
    }

    @Test
    void onlyAddressEmailAndCreditCardMayBeEmpty() {
        assertThatCode(registration("N", "", "1.00")::check).doesNotThrowAnyException();
        refuses(registration("", "", "1.00"), "The full name is missing.");
        refuses(registration("N", null, "1.00"), "The address is missing.");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0.00", "999999999.99", "0", "12.5", "1E+3"})
    void openingBalanceWithinItsLimitsIsTaken(String amount) {
        assertThatCode(registration("N", "", amount)::check).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(strings = {"-0.01", "1000000000.00", "0.001", "1E+999999999", "1E-999999999"})
    void openingBalanceOutsideItsLimitsIsRefused(String amount) {
        refuses(registration("N", "", amount), "The opening balance must be an amount from 0.00 to 999999999.99.");
    }

    @ParameterizedTest
    @CsvSource({"0", "1000001", "-1", "9223372036854775807"})
    void quantityOutsideItsLimitsIsRefused(long quantity) {
        refuses(new Request.Purchase("uid:1", "s:1", quantity), "The quantity must be a whole number from 1 to 1000000.");
    }

    @Test
    void numberThatIsMissingIsRefusedWithItsLimits() {
        refuses(new Request.Purchase("uid:1", "s:1", null), "The quantity must be a whole number from 1 to 1000000.");
        refuses(new Request.UserHolding("uid:1", null), "The holding id must be a whole number from 1.");
        refuses(new Request.LastOrders("uid:1", null), "The limit must be a whole number from 1 to 100.");
    }

    @Test
    void oneToTwentySymbolsMayBeAskedFor() {
        assertThatCode(new Request.Symbols(Collections.nCopies(20, "s:1"))::check).doesNotThrowAnyException();
        refuses(new Request.Symbols(Collections.nCopies(21, "")), "Ask for 1 to 20 symbols.");
        refuses(new Request.Symbols(List.of()), "Ask for 1 to 20 symbols.");
        refuses(new Request.Symbols(null), "Ask for 1 to 20 symbols.");
        refuses(new Request.Symbols(Collections.singletonList(null)), "The symbol is missing.");
    }

    private static Request registration(String fullName, String address, String openBalance) {
        return new Request.Registration("new", "xxx", fullName, address, "", "", new BigDecimal(openBalance));
    }

    private static void refuses(Request request, String message) {
        assertThatThrownBy(request::check).isInstanceOf(Refusal.class).hasMessage(message);
    }
}
