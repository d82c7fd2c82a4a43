package org.middlemark.remoting.json;

import jakarta.json.bind.Jsonb;
import jakarta.json.bind.JsonbBuilder;
import jakarta.json.bind.JsonbConfig;
import jakarta.json.bind.adapter.JsonbAdapter;
import java.math.BigDecimal;
import java.time.LocalDateTime;
import org.middlemark.remoting.domain.WrittenValues;

/** JSON-B with decimals as text with two places, and times without a zone. */
public final class JsonText {
    private JsonText() {
    }

    /**
     * Of requests: each key is needed, as by default a number that is missing would be 0. One that is unknown is
     * refused, because the parser of most servers never gets to the end of a value that it skips and that has none
     * (Parsson issue 23).
     */
    public static Jsonb ofRequests() {
        return JsonbBuilder.create(config().withCreatorParametersRequired(true)
                .setProperty("jsonb.fail-on-unknown-properties", true));
    }

    /** Of answers, which may have more keys. */
    public static Jsonb ofAnswers() {
        return JsonbBuilder.create(config());
    }

    private static JsonbConfig config() {
        return new JsonbConfig().withAdapters(new DecimalAdapter(), new TimeAdapter());
    }

    /** Decimals. */
    public static class DecimalAdapter implements JsonbAdapter<BigDecimal, String> {
        @Override
        public String adaptToJson(BigDecimal decimal) {
            return WrittenValues.text(decimal);
        }

        @Override
        public BigDecimal adaptFromJson(String text) {
            return WrittenValues.decimal("A decimal", text);
        }
    }

    /** Times. */
    public static class TimeAdapter implements JsonbAdapter<LocalDateTime, String> {
        @Override
        public String adaptToJson(LocalDateTime time) {
            return WrittenValues.text(time);
        }

        @Override
        public LocalDateTime adaptFromJson(String text) {
            return WrittenValues.time("A time", text);
        }
    }
}
