package org.middlemark.brokerage.services;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.middlemark.brokerage.domain.Code;
import org.middlemark.brokerage.domain.Refusal;
import org.middlemark.brokerage.store.StoreFailure;

class FailuresTest {
    @ParameterizedTest(name = "{0} is {1}, repeated: {2}")
    @CsvSource({
        "40P01, UNAVAILABLE, true",
        "40001, UNAVAILABLE, true",
        "08006, UNAVAILABLE, false",
        "08P01, UNAVAILABLE, false",
        "53300, UNAVAILABLE, false",
        "53100, INTERNAL, false",
        "53200, INTERNAL, false",
        "57P01, UNAVAILABLE, false",
        "57P05, UNAVAILABLE, false",
        "57014, UNAVAILABLE, false",
        "23514, INTERNAL, false",
        "42P01, INTERNAL, false",
        "55P03, INTERNAL, false",
    })
    void theStateOfTheDatabaseDecidesWhatIsTold(String state, Code code, boolean repeated) {
        StoreFailure failure = new StoreFailure(new SQLException("the reason", state));
        assertEquals(code, Failures.refusal(failure).code());
        assertEquals(repeated, Failures.isRepeatable(failure));
    }

    @Test
    void aRefusalStaysWhatItIs() {
        Refusal refusal = Refusal.invalid("The symbol is missing.");
        assertSame(refusal, Failures.refusal(refusal));
    }

    @Test
    void whatTheDatabaseSaidIsOneLine() {
        SQLException said = new SQLException("FATAL: terminating connection\n  Position: 1", "57P01");
        Refusal refusal = Failures.refusal(new StoreFailure(new IllegalStateException("the provider's\nwords", said)));
        assertEquals("FATAL: terminating connection", Failures.message(refusal));
    }

    @Test
    void whatIsNoFailureOfTheDatabaseIsInternal() {
        assertEquals(Code.INTERNAL, Failures.refusal(new IllegalStateException("unforeseen")).code());
    }
}
