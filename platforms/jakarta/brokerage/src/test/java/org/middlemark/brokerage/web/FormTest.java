package org.middlemark.brokerage.web;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.middlemark.brokerage.domain.Refusal;

class FormTest {
    @Test
    void aValueIsDecodedFromPercentEncodedUtf8() {
        Form form = Form.parse("full_name=a%2Bb++c+%26+d%20=+%C3%A9&symbols=s:1;s:2&empty");
        assertEquals("a+b  c & d = é", form.value("full_name"));
        assertEquals("s:1;s:2", form.value("symbols"));
        assertEquals("", form.value("empty"));
        assertEquals("", form.value("missing"));
    }

    @Test
    void ofSeveralValuesTheFirstCounts() {
        assertEquals("", Form.parse("user_id=&user_id=uid:1").value("user_id"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"a=%", "a=%4", "a=%zz", "a=%FFx", "%=a", "a=%ED%A0%80", "a=\u20ac"})
    void whatIsNoPercentEncodedUtf8CannotBeRead(String encoded) {
        assertEquals("The form cannot be read.", assertThrows(Refusal.class, () -> Form.parse(encoded)).getMessage());
    }
}
