package org.middlemark.brokerage.json;

import jakarta.json.bind.Jsonb;
import jakarta.json.bind.JsonbBuilder;
import jakarta.json.bind.JsonbConfig;
import jakarta.json.bind.adapter.JsonbAdapter;
import jakarta.ws.rs.ext.ContextResolver;
import java.math.BigDecimal;
import java.time.Instant;
import org.middlemark.brokerage.domain.WrittenTimes;
import org.middlemark.values.Money;

/** How values are written: amounts as text with two decimals, times with six, and null where there is none. */
public class JsonbValues implements ContextResolver<Jsonb> {
    private final Jsonb jsonb;

    /**
     * Of requests: a key that is unknown is refused, because the parser of most servers never gets to the end of a
     * value that it skips and that has none (Parsson issue 23).
     */
    public JsonbValues() {
        this(new JsonbConfig().setProperty("jsonb.fail-on-unknown-properties", true));
    }

    private JsonbValues(JsonbConfig config) {
        jsonb = JsonbBuilder.create(config.withNullValues(true).withAdapters(new AmountAdapter(), new TimeAdapter()));
    }

    /** Of answers, which may have more keys. */
    static JsonbValues ofAnswers() {
        return new JsonbValues(new JsonbConfig());
    }

    @Override
    public Jsonb getContext(Class<?> type) {
        return jsonb;
    }

    /** Amounts. */
    public static class AmountAdapter implements JsonbAdapter<BigDecimal, String> {
        @Override
        public String adaptToJson(BigDecimal amount) {
            return Money.text(amount);
        }

        @Override
        public BigDecimal adaptFromJson(String text) {
            return new BigDecimal(text);
        }
    }

    /** Times; some servers hand adapters the null of an order that is open. */
    public static class TimeAdapter implements JsonbAdapter<Instant, String> {
        @Override
        public String adaptToJson(Instant time) {
            return time == null ? null : WrittenTimes.text(time);
        }

        @Override
        public Instant adaptFromJson(String text) {
            return text == null ? null : Instant.parse(text);
        }
    }
}
