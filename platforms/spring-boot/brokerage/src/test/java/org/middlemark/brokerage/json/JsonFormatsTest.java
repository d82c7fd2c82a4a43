package org.middlemark.brokerage.json;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.middlemark.brokerage.orders.Order;
import org.middlemark.brokerage.orders.OrderStatus;
import org.middlemark.brokerage.orders.OrderType;
import tools.jackson.databind.json.JsonMapper;

class JsonFormatsTest {

    private static final Order OPEN_ORDER = new Order(251, OrderType.BUY, OrderStatus.OPEN, "s:1", 2, new BigDecimal("89.19"),
            new BigDecimal("24.95"), new BigDecimal("203.33"), Instant.parse("2026-01-31T08:00:00.120Z"), null, null);

    private final JsonMapper mapper = mapper();

    @Test
    void moneyIsTextTimesHaveSixDecimalsAndWhatIsNotThereIsNull() {
        assertThat(mapper.writeValueAsString(OPEN_ORDER)).isEqualTo("""
                {"orderId":251,"type":"buy","status":"open","symbol":"s:1","quantity":2,"price":"89.19","fee":"24.95","total":"203.33",\
                "openTime":"2026-01-31T08:00:00.120000Z","completionTime":null,"holdingId":null}""");
    }

    @Test
    void whatWasWrittenIsReadAgain() {
        assertThat(mapper.readValue(mapper.writeValueAsString(OPEN_ORDER), Order.class)).isEqualTo(OPEN_ORDER);
    }

    private static JsonMapper mapper() {
        JsonMapper.Builder builder = JsonMapper.builder();
        new JsonFormats().formats().customize(builder);
        return builder.build();
    }
}
