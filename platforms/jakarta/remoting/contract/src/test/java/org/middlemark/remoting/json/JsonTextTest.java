package org.middlemark.remoting.json;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import jakarta.json.bind.Jsonb;
import jakarta.json.bind.JsonbException;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.middlemark.remoting.domain.Order;
import org.middlemark.remoting.domain.Samples;
import org.middlemark.remoting.json.JsonMessages.FoundCustomer;
import org.middlemark.remoting.json.JsonMessages.Products;

class JsonTextTest {
    private final Jsonb answers = JsonText.ofAnswers();

    @Test
    void objectsArriveAsTheyWere() {
        assertEquals(Samples.ORDER, answers.fromJson(answers.toJson(Samples.ORDER), Order.class));
        Products products = new Products(List.of(Samples.PRODUCT));
        assertEquals(products, answers.fromJson(answers.toJson(products), Products.class));
        FoundCustomer customer = FoundCustomer.of(Optional.of(Samples.CUSTOMER));
        assertEquals(customer, answers.fromJson(answers.toJson(customer), FoundCustomer.class));
    }

    @Test
    void nobodyIsLeftOut() {
        assertEquals("{}", answers.toJson(FoundCustomer.of(Optional.empty())));
    }

    @Test
    void aMissingValueOfATableIsNull() {
        String json = answers.toJson(Samples.TABLES);
        assertTrue(json.contains(",null]") && json.contains("[\"\",\"Region 4\"]"), json);
    }

    @Test
    void everyKeyOfARequestIsNeeded() {
        Jsonb requests = JsonText.ofRequests();
        String order = answers.toJson(Samples.ORDER);
        assertEquals(Samples.ORDER, requests.fromJson(order, Order.class));
        for (String key : List.of("\"employeeId\":5,", "\"quantity\":8,", "\"region\":\"\",")) {
            assertTrue(order.contains(key), order);
            String less = order.replace(key, "");
            assertThrows(JsonbException.class, () -> requests.fromJson(less, Order.class), key);
        }
    }

    @Test
    void aDecimalIsTextWithTwoPlaces() {
        assertTrue(answers.toJson(Samples.PRODUCT).contains("\"unitPrice\":\"18.00\""));
        assertThrows(JsonbException.class, () -> answers.fromJson("{\"freight\": \"1.234\"}", Order.class));
    }
}
