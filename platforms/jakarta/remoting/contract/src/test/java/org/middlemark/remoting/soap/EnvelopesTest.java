package org.middlemark.remoting.soap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.middlemark.refusals.Code;
import org.middlemark.refusals.Refusal;
import org.middlemark.remoting.domain.Samples;
import org.middlemark.remoting.domain.Unreadable;
import org.middlemark.remoting.soap.wire.LoadProductsTablesResponse;
import org.middlemark.remoting.soap.wire.Ping;
import org.middlemark.remoting.soap.wire.StoreOrder;

class EnvelopesTest {
    private static final String ENVELOPE =
            "<s:Envelope xmlns:s='http://schemas.xmlsoap.org/soap/envelope/' xmlns:r='urn:middlemark:remoting:1'>";

    @Test
    void anOrderArrivesAsItWas() {
        Object bean = Envelopes.read(Envelopes.write(Beans.order(Samples.ORDER)));
        assertEquals(Samples.ORDER, Records.order((StoreOrder) bean));
    }

    @Test
    void aTableSetArrivesAsItWas() {
        LoadProductsTablesResponse response = new LoadProductsTablesResponse();
        response.setTableSet(Beans.tables(Samples.TABLES));
        Object bean = Envelopes.read(Envelopes.write(response));
        assertEquals(Samples.TABLES, Records.tables(((LoadProductsTablesResponse) bean).getTableSet()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"employeeId", "shipVia", "freight", "productId", "unitPrice", "quantity", "discount"})
    void everyNumberOfAnOrderIsNeeded(String name) {
        String whole = new String(Envelopes.write(Beans.order(Samples.ORDER)), StandardCharsets.UTF_8);
        String less = whole.replaceFirst("<([^<>]*:)?" + name + ">[^<]*</([^<>]*:)?" + name + ">", "");
        assertNotEquals(whole, less);
        StoreOrder bean = (StoreOrder) Envelopes.read(less.getBytes(StandardCharsets.UTF_8));
        assertThrows(Unreadable.class, () -> Records.order(bean));
    }

    @Test
    void aTableHasAName() {
        var bean = Beans.tables(Samples.TABLES);
        bean.getTable().get(0).setName(null);
        assertThrows(Unreadable.class, () -> Records.tables(bean));
    }

    @ParameterizedTest
    @FieldSource("org.middlemark.remoting.domain.Codes#ALL")
    void aRefusalArrivesAsItWas(Code code) {
        byte[] fault = Envelopes.write(new Refusal(code, "Because of <ä>."));
        Refusal refusal = assertThrows(Refusal.class, () -> Envelopes.read(fault));
        assertEquals(code, refusal.code());
        assertEquals("Because of <ä>.", refusal.getMessage());
    }

    @ParameterizedTest
    @ValueSource(strings = {"s:Client", "Client"})
    void aFaultWithoutACodeThatBlamesTheClientIsOfTheInput(String faultcode) {
        String fault = ENVELOPE + "<s:Body><s:Fault><faultcode>" + faultcode
                + "</faultcode><faultstring>x</faultstring></s:Fault></s:Body></s:Envelope>";
        Refusal refusal = assertThrows(Refusal.class, () -> Envelopes.read(fault.getBytes(StandardCharsets.UTF_8)));
        assertEquals(Code.INVALID_INPUT, refusal.code());
    }

    @Test
    void aHeaderIsSkipped() {
        String envelope = ENVELOPE + "<s:Header><x><y/></x></s:Header><s:Body><r:ping/></s:Body></s:Envelope>";
        assertInstanceOf(Ping.class, Envelopes.read(envelope.getBytes(StandardCharsets.UTF_8)));
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "", "text", ENVELOPE, ENVELOPE + "<s:Body/></s:Envelope>",
        ENVELOPE + "<s:Body><r:other/></s:Body></s:Envelope>",
        ENVELOPE + "<s:Body><r:loadCustomer><r:more/></r:loadCustomer></s:Body></s:Envelope>",
        ENVELOPE + "<s:Body><s:Fault><faultstring>x</faultstring></s:Fault></s:Body></s:Envelope>",
    })
    void anyOtherMessageIsUnreadable(String message) {
        byte[] bytes = message.getBytes(StandardCharsets.UTF_8);
        assertThrows(Unreadable.class, () -> Envelopes.read(bytes));
    }
}
