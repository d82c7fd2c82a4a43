package org.middlemark.brokerage.database;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.SocketTimeoutException;
import java.sql.SQLException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.support.SQLStateSQLExceptionTranslator;

class UnavailabilityTest {

    @ParameterizedTest
    @CsvSource({
        "08006, true", // the connection is lost
        "57P01, true", // the database ends it
        "57014, true", // the statement took too long
        "53300, true", // too many connections
        "40P01, true", // a deadlock, once it is repeated no more
        "40001, true",
        "53100, false", // a full disk
        "23514, false",
        "42P01, false",
    })
    void stateOfAFailureTellsWhetherTheDatabaseIsUnavailable(String state, boolean unavailable) {
        SQLException failure = new SQLException("made to fail", state, new SocketTimeoutException());
        DataAccessException translated = new SQLStateSQLExceptionTranslator().translate("a test", null, failure);
        assertThat(Unavailability.isReasonOf(translated)).isEqualTo(unavailable);
    }
}
