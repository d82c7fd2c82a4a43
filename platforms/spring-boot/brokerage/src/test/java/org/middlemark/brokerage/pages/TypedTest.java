package org.middlemark.brokerage.pages;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TypedTest {

    @ParameterizedTest
    @CsvSource({"1000000, 1000000.00", "0.5, 0.50", "12.25, 12.25", "0.125, 0.125"})
    void amountHasItsCents(String typed, String amount) {
        assertThat(Typed.amount(typed)).hasToString(amount);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "x", "1,5", "1 000", "NaN"})
    void whatIsNoNumberIsNone(String typed) {
        assertThat(Typed.amount(typed)).isNull();
        assertThat(Typed.wholeNumber(typed)).isNull();
    }

    @Test
    void numberOfManyDigitsIsNotWrittenOut() {
        assertThat(Typed.amount("1e999999999").scale()).isEqualTo(-999_999_999);
    }
}
