package org.middlemark.remoting.store;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.math.BigDecimal;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NorthwindTest {
    @ParameterizedTest(name = "{0} is stored as {1}")
    @CsvSource({
        "4.5, 4.5000",
        "0, 0.0000",
        "1000000, 1000000.0000",
        "1.00005, 1.0001",
        "1.00004999999, 1.0000",
        "0.00005, 0.0001",
        "2.0E-5, 0.0000",
        "1.2E-44, 0.0000",
        "123456.12345, 123456.1235",
        "999999.99995, 1000000.0000",
    })
    void aPriceIsRoundedByItsShortestText(double price, BigDecimal stored) {
        assertEquals(stored, Northwind.storedPrice(price));
    }
}
