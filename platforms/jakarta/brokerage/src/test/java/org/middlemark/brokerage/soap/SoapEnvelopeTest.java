package org.middlemark.brokerage.soap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SoapEnvelopeTest {
    private static final String OPEN = "<s:Envelope xmlns:s='http://schemas.xmlsoap.org/soap/envelope/'>";
    private static final String PING = OPEN
            + "<s:Body><ping xmlns='urn:middlemark:brokerage:1'/></s:Body></s:Envelope>";

    private static SoapEnvelope read(String text) throws XmlReader.NoDocument {
        return SoapEnvelope.read(text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void anEnvelopeHasOneElementInItsBody() throws XmlReader.NoDocument {
        assertEquals(SoapNames.brokerage("ping"), read(PING).content().name());
        String declared = "<?xml version='1.0' encoding='utf-8' standalone='yes'?>" + PING + "  <!-- c -->";
        assertEquals(SoapNames.brokerage("ping"), read(declared).content().name());
    }

    @Test
    void theTextOfAnElementIsAllItsCharacters() throws XmlReader.NoDocument {
        SoapEnvelope envelope =
                read(PING.replace("/></s:Body>", "><a>s<!-- x --><![CDATA[:]]>&#49;\uD834\uDD1E</a></ping></s:Body>"));
        assertEquals("s:1\uD834\uDD1E", envelope.content().children().get(0).text());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "x", "<a/>", OPEN + "</s:Envelope>", OPEN + "<s:Body/></s:Envelope>", PING + "<more/>",
        PING + "x", " <?xml version='1.0'?>" + PING, "<?xml encoding='UTF-8'?>" + PING, "<?xml version='1.1'?>" + PING,
        "<?xml version='1.0' encoding='ISO-8859-1'?>" + PING, "<!DOCTYPE x>" + PING, PING + "<?xml version='1.0'?>",
        OPEN + "<s:Body><a x='1' x='2'/></s:Body></s:Envelope>", OPEN + "<s:Body><a x='1'y='2'/></s:Body></s:Envelope>",
        OPEN + "<s:Body><a xmlns:p='u' xmlns:q='u' p:x='1' q:x='2'/></s:Body></s:Envelope>",
        OPEN + "<s:Body><p:a/></s:Body></s:Envelope>",
        OPEN + "<s:Body><a p:x='1'/></s:Body></s:Envelope>",
        OPEN + "<s:Body><a xmlns='u' xmlns='u'/></s:Body></s:Envelope>",
        OPEN + "<s:Body><a>&#xD800;</a></s:Body></s:Envelope>", OPEN + "<s:Body><a>&nosuch;</a></s:Body></s:Envelope>",
        OPEN + "<s:Body><a>&#0;</a></s:Body></s:Envelope>", OPEN + "<s:Body><a/><b/></s:Body></s:Envelope>",
        OPEN + "<s:Body><a/></s:Body><s:Body><a/></s:Body></s:Envelope>",
        OPEN + "<s:Body><a/></s:Body><s:Header/></s:Envelope>"})
    void anythingElseIsNone(String text) {
        assertThrows(XmlReader.NoDocument.class, () -> read(text));
    }

    @Test
    void bytesThatAreNotUtf8AreNone() {
        byte[] document = PING.replace("/></s:Body>", ">\u00E9</ping></s:Body>").getBytes(StandardCharsets.ISO_8859_1);
        assertThrows(XmlReader.NoDocument.class, () -> SoapEnvelope.read(document));
    }

    @Test
    void elementsMayLieDeepInOneAnother() throws XmlReader.NoDocument {
        int depth = 9000;
        SoapEnvelope envelope =
                read(OPEN + "<s:Body>" + "<a>".repeat(depth) + "</a>".repeat(depth) + "</s:Body></s:Envelope>");
        assertEquals(1, envelope.content().children().size());
    }
}
