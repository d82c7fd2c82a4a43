package org.middlemark.remoting.domain;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.math.BigDecimal;
import java.time.LocalDate;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.middlemark.refusals.Code;
import org.middlemark.refusals.Refusal;

class LimitsTest {
    private static Order with(List<OrderLine> lines, BigDecimal freight) {
        Order order = Samples.ORDER;
        return new Order(order.customerId(), order.employeeId(), order.orderDate(), order.shipping(), order.billing(),
                order.shipVia(), freight, lines);
    }

    private static void assertRefused(Order order) {
        assertEquals(Code.INVALID_INPUT, assertThrows(Refusal.class, () -> Limits.order(order)).code());
    }

    @ParameterizedTest
    @CsvSource({"0, 1, 0", "1000000, 32767, 1"})
    void valuesAtTheirLimitsAreAllowed(double price, int quantity, double discount) {
        Order order = with(Collections.nCopies(100, new OrderLine(1, price, quantity, discount)),
                new BigDecimal("1000000.00"));
        assertDoesNotThrow(() -> Limits.order(order));
    }

    @ParameterizedTest
    @CsvSource({"-0.01, 1, 0", "1000000.01, 1, 0", "NaN, 1, 0", "Infinity, 1, 0", "1, 0, 0", "1, 32768, 0",
        "1, 1, -0.1", "1, 1, 1.01", "1, 1, NaN"})
    void aLineOutsideOfThemIsRefused(double price, int quantity, double discount) {
        assertRefused(with(List.of(new OrderLine(1, price, quantity, discount)), BigDecimal.ONE));
    }

    @Test
    void anOrderHasFromOneToAHundredLines() {
        assertRefused(with(List.of(), BigDecimal.ONE));
        assertRefused(with(Collections.nCopies(101, new OrderLine(1, 1, 1, 0)), BigDecimal.ONE));
    }

    @ParameterizedTest
    @ValueSource(strings = {"-0.01", "1000000.01"})
    void aFreightOutsideOfItsLimitsIsRefused(String freight) {
        assertRefused(with(Samples.ORDER.lines(), new BigDecimal(freight)));
    }

    @ParameterizedTest
    @CsvSource({"0000-01-01, false", "1752-12-31, false", "1753-01-01, true", "9998-12-31, true", "9999-01-01, false"})
    void theYearOfADateHasLimits(LocalDate date, boolean isAllowed) {
        Order order = Samples.ORDER;
        Order dated = new Order(order.customerId(), order.employeeId(), date.atStartOfDay(), order.shipping(),
                order.billing(), order.shipVia(), order.freight(), order.lines());
        if (isAllowed) {
            assertDoesNotThrow(() -> Limits.order(dated));
        } else {
            assertRefused(dated);
        }
    }

    @Test
    void aTextHasAtMostAHundredCharactersWhateverTheirLength() {
        assertDoesNotThrow(() -> Limits.customerId("🚢".repeat(100)));
        assertThrows(Refusal.class, () -> Limits.customerId("a".repeat(101)));
        assertThrows(Refusal.class, () -> Limits.customerId("a\0"));
        assertThrows(Refusal.class, () -> Limits.customerId("\ud83d"));
    }
}
