package org.middlemark.remoting.domain;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.math.BigDecimal;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class WrittenValuesTest {
    @ParameterizedTest
    @CsvSource({"32.38, 32.38", "32.4, 32.40", "32, 32.00", "-1.00, -1.00", "007.5, 7.50"})
    void aDecimalHasTwoPlaces(String text, BigDecimal decimal) {
        assertEquals(decimal, WrittenValues.decimal("freight", text));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "1.234", "1e3", "1E+1000000000", "NaN", " 1", "1,5", "1000000000000000"})
    void anyOtherTextIsUnreadable(String text) {
        assertThrows(Unreadable.class, () -> WrittenValues.decimal("freight", text));
    }

    @ParameterizedTest
    @ValueSource(strings = {"2005-02-14T00:00:00", "2004-02-29T23:59:59", "0999-01-01T01:02:03"})
    void aTimeIsWrittenAsItWasRead(String text) {
        assertEquals(text, WrittenValues.text(WrittenValues.time("order_date", text)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"2005-02-14", "2005-02-29T00:00:00", "2005-02-14T00:00:00Z", "12005-02-14T00:00:00",
        "2005-02-14T24:00:00", "2005-02-14 00:00:00"})
    void noOtherTimeIsReadable(String text) {
        assertThrows(Unreadable.class, () -> WrittenValues.time("order_date", text));
    }
}
