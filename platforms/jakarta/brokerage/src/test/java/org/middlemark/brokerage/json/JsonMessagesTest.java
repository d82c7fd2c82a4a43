package org.middlemark.brokerage.json;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.ByteArrayOutputStream;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.middlemark.brokerage.domain.Refusal;
import org.middlemark.brokerage.messages.Answers;
import org.middlemark.brokerage.messages.Requests;
import org.middlemark.brokerage.messages.WrongAnswer;

class JsonMessagesTest {
    private static final BigDecimal ONE = new BigDecimal("1.00");

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] written(Record message) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        MessageWriter.write(message, out);
        return out.toByteArray();
    }

    private static Answers.Orders orders() {
        Instant now = Instant.parse("2026-01-31T08:00:00.123456Z");
        return new Answers.Orders(List.of(
                new Answers.Order(1, "buy", "open", "s:1", 2, ONE, ONE, ONE, now, null, null),
                new Answers.Order(2, "sell", "closed", "<\"\uD83D\uDE00", 2, ONE, ONE, ONE, now, now, 7L)));
    }

    @Test
    void whatIsWrittenIsRead() {
        assertEquals(orders(), AnswerReader.read(written(orders()), Answers.Orders.class));
        Requests.Registration asked =
                new Requests.Registration("a", "p", "\uD83D\uDE00", "", "", "", new BigDecimal("12.50"));
        assertEquals(asked, RequestReader.read(written(asked), Requests.Registration.class));
    }

    @ParameterizedTest
    @ValueSource(strings = {"\"orderId\":1", "\"price\":\"1.00\"", "\"openTime\":\"2026-01-31T08:00:00.123456Z\"",
        "\"completionTime\":null", "\"type\":\"buy\""})
    void anAnswerWithAnotherValueIsNone(String part) {
        String text = new String(written(orders()), StandardCharsets.UTF_8);
        String key = part.substring(0, part.indexOf(':') + 1);
        assertEquals(orders(), AnswerReader.read(bytes(text), Answers.Orders.class));
        for (String changed : List.of(
                "", key + "{},", key + "1.5,", key + "\"2026-01-31\",", "\"more\":1," + part + ",")) {
            String wrong = text.replaceFirst(java.util.regex.Pattern.quote(part + ","), changed);
            if (!(part.contains("type") && changed.contains("2026"))) {
                assertThrows(WrongAnswer.class, () -> AnswerReader.read(bytes(wrong), Answers.Orders.class), wrong);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "[]", "[{}]", "null", "1", "\"{}\"", "{", "{}}", "{} {}", "{}x", "{'a':1}",
        "{\"a\":1,}", "{a:1}", "{\"a\":01}", "{\"a\":NaN}", "{} // x", "{\"a\":\"\n\"}", "{\"a\":\"\\ud800\"}",
        "{\"\\ud800\":1}", "{\"a\":[1,]}", "{\"a\" 1}",
        "{\"a\":\"\\ude00\\ud83d\"}", "{\"a\":\"\\x\"}", "{\"a\":.5}", "{\"a\":1.}", "{\"a\":+1}", "{\"a\":tru}",
        "{\"a\":-}"})
    void whatIsNoObjectIsRefused(String text) {
        Refusal refusal = assertThrows(Refusal.class, () -> RequestReader.read(bytes(text), Requests.Nothing.class));
        assertEquals("The request must be one JSON object.", refusal.getMessage());
    }

    @Test
    void bytesThatAreNotUtf8AreRefused() {
        byte[] request = "{\"symbol\":\"\u00E9\"}".getBytes(StandardCharsets.ISO_8859_1);
        assertThrows(Refusal.class, () -> RequestReader.read(request, Requests.Symbol.class));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', value = {
        "{}|The key userId is missing.",
        "{\"userId\":null,\"more\":1}|The key userId is missing.",
        "{\"userId\":1}|The key userId must be text.",
        "{\"userId\":\"u\",\"symbol\":\"s\",\"quantity\":\"1\"}|The key quantity must be a whole number.",
        "{\"userId\":\"u\",\"symbol\":\"s\",\"quantity\":1e0}|The key quantity must be a whole number.",
        "{\"userId\":\"u\",\"symbol\":\"s\",\"quantity\":1.0}|The key quantity must be a whole number.",
        "{\"userId\":\"u\",\"symbol\":\"s\",\"quantity\":9223372036854775808}|The key quantity must be a whole number.",
        "{\"userId\":\"u\",\"symbol\":\"s\",\"quantity\":1,\"b\":1,\"B\":null}|The key B is unknown.",
        "{\"userId\":\"u\",\"symbol\":\"s\",\"quantity\":1,\"\uD83D\uDE00\":1,\"\uFF5E\":1}"
                + "|The key \uFF5E is unknown."})
    void theFirstFaultIsTold(String text, String message) {
        Refusal refusal = assertThrows(Refusal.class, () -> RequestReader.read(bytes(text), Requests.Buy.class));
        assertEquals(message, refusal.getMessage());
    }

    @Test
    void aWholeNumberMayBeMinusNothing() {
        assertEquals(new Requests.UserHolding("u", 0),
                RequestReader.read(bytes("{\"userId\":\"u\",\"holdingId\":-0}"), Requests.UserHolding.class));
    }
}
