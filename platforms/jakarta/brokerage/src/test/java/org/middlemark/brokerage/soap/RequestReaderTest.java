package org.middlemark.brokerage.soap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.middlemark.brokerage.domain.Refusal;
import org.middlemark.brokerage.messages.Operation;
import org.middlemark.brokerage.messages.Requests;

class RequestReaderTest {
    private static Record read(String content) throws XmlReader.NoDocument {
        String text = "<s:Envelope xmlns:s='http://schemas.xmlsoap.org/soap/envelope/'>"
                + "<s:Body xmlns='urn:middlemark:brokerage:1'>"
                + content + "</s:Body></s:Envelope>";
        XmlElement element = SoapEnvelope.read(text.getBytes(StandardCharsets.UTF_8)).content();
        return RequestReader.read(RequestReader.operation(element), element);
    }

    @Test
    void whatIsWrittenIsRead() throws XmlReader.NoDocument {
        Requests.Registration asked =
                new Requests.Registration("a<&>", " p", "\uD83D\uDE00", "", "", "", new BigDecimal("12.50"));
        XmlElement element = SoapEnvelope.read(SoapWriter.request(Operation.REGISTER, asked)).content();
        assertEquals(asked, RequestReader.read(Operation.REGISTER, element));
    }

    @Test
    void elementsComeInAnyOrder() throws XmlReader.NoDocument {
        assertEquals(new Requests.Buy("u", "s:1", 2),
                read("<buy><quantity> 2 </quantity>text<symbol>s:1</symbol><userId>u</userId></buy>"));
        assertEquals(new Requests.Symbols(List.of("a", "b")),
                read("<getQuotes><symbols>a</symbols><symbols>b</symbols></getQuotes>"));
        assertEquals(new Requests.Symbols(List.of()), read("<getQuotes/>"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "<nosuch/>|There is no operation nosuch.",
        "<ping xmlns='urn:other'/>|There is no operation ping.",
        "<buy/>|The key userId is missing.",
        "<buy><userId xmlns='urn:other'>u</userId></buy>|The key userId is missing.",
        "<logout><userId xmlns:i='http://www.w3.org/2001/XMLSchema-instance' i:nil='true'/></logout>"
                + "|The key userId is missing.",
        "<getQuote><symbol><b/></symbol><a/></getQuote>|The key symbol must be text.",
        "<getQuote><symbol>s</symbol><b/><B/></getQuote>|The key B is unknown.",
        "<getQuote><symbol>s</symbol><symbol>s</symbol></getQuote>|The key symbol is unknown.",
        "<sell><userId>u</userId><holdingId>6.0</holdingId></sell>|The key holdingId must be a whole number.",
        "<sell><userId>u</userId><holdingId/></sell>|The key holdingId must be a whole number."})
    void theFirstFaultIsTold(String content, String message) {
        assertEquals(message, assertThrows(Refusal.class, () -> read(content)).getMessage());
    }
}
