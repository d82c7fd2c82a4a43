package org.middlemark.database;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import jakarta.ejb.EJBException;
import jakarta.transaction.HeuristicMixedException;
import jakarta.transaction.RollbackException;
import java.sql.SQLException;
import java.util.List;
import javax.transaction.xa.XAException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.middlemark.refusals.Code;
import org.middlemark.refusals.Refusal;

class FailuresTest {
    @ParameterizedTest(name = "{0} is {1}, repeated: {2}")
    @CsvSource({
        "40P01, unavailable, true",
        "40001, unavailable, true",
        "08006, unavailable, false",
        "08P01, unavailable, false",
        "53300, unavailable, false",
        "53100, internal, false",
        "53200, internal, false",
        "57P01, unavailable, false",
        "57P05, unavailable, false",
        "57014, unavailable, false",
        "23514, internal, false",
        "42P01, internal, false",
        "55P03, internal, false",
    })
    void theStateOfTheDatabaseDecidesWhatIsTold(String state, String code, boolean repeated) {
        StoreFailure failure = new StoreFailure(new SQLException("the reason", state));
        assertEquals(code, Failures.refusal(failure).code().word());
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
    void aServerThatGivesNoConnectionIsUnavailable() {
        SQLException none = new SQLException("IJ000453: Unable to get managed connection");
        assertEquals(Code.UNAVAILABLE, Failures.refusal(new StoreFailure(none)).code());
    }

    @Test
    void aStateBelowOtherFailuresDecides() {
        SQLException wrapped = new SQLException("the server's words", new SQLException("the reason", "40P01"));
        assertEquals(Code.UNAVAILABLE, Failures.refusal(new StoreFailure(wrapped)).code());
        assertTrue(Failures.isRepeatable(new StoreFailure(wrapped)));
    }

    @Test
    void whatTheTransactionManagerCannotCommitIsOfTheCommit() {
        for (Exception failure : List.of(new XAException(), new RollbackException(), new HeuristicMixedException())) {
            assertTrue(Failures.isOfCommit(new EJBException(failure)));
        }
        assertFalse(Failures.isOfCommit(new StoreFailure(new SQLException("a wrong price", "23514"))));
    }

    @Test
    void whatIsNoFailureOfTheDatabaseIsInternal() {
        assertEquals(Code.INTERNAL, Failures.refusal(new IllegalStateException("unforeseen")).code());
    }
}
