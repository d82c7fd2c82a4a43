package org.middlemark.petstore.domain;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class OrderTest {
    private static final Product KITTEN = new Product("p:1", "Kitten", "It is fond of children.");

    @Test
    void linesAreNumberedByItemIdAndAddUp() {
        Map<String, Item> items = Map.of("i:9-0", new Item("i:9-0", KITTEN, "Adult", new BigDecimal("11.75")),
                "i:10-1", new Item("i:10-1", KITTEN, "Young", new BigDecimal("60.02")));
        Confirmation confirmed = new Confirmation(UUID.randomUUID(), "user:1",
                new TreeMap<>(Map.of("i:9-0", 2, "i:10-1", 1)), new Card("Visa", "1", "1"), null, null);

        Order order = Order.of(confirmed, items);

        assertEquals(List.of(new OrderLine(1, "i:10-1", 1, new BigDecimal("60.02")),
                new OrderLine(2, "i:9-0", 2, new BigDecimal("11.75"))), order.lines());
        assertEquals(new BigDecimal("83.52"), order.total());
    }
}
