package org.middlemark.brokerage.life;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.middlemark.brokerage.settings.Binding;

class DisclosedTest {
    @ParameterizedTest
    @CsvSource({"JSON, 64, 50", "JSON, 20, 20", "SOAP, 64, 64", "GRPC, 64, 64"})
    void theCallsAtOnceAreThoseThatTheBindingMakes(Binding binding, int allowed, String shown) {
        assertEquals(shown, Disclosed.calls(allowed, binding).value());
    }
}
