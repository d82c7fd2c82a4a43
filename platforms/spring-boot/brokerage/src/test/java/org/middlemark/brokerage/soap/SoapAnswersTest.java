package org.middlemark.brokerage.soap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import org.junit.jupiter.api.Test;
import org.middlemark.brokerage.quotes.Quote;
import org.middlemark.brokerage.soap.wsdl.OrderXml;
import org.middlemark.brokerage.soap.wsdl.QuoteXml;
import org.springframework.oxm.XmlMappingException;

class SoapAnswersTest {

    @Test
    void answerIsReadAsItWasWritten() {
        Quote quote = new Quote("s:1", "Company 1", BigDecimal.ONE, BigDecimal.ONE, BigDecimal.ONE, BigDecimal.TEN, BigDecimal.ZERO, 7);
        assertThat(SoapAnswers.answer(SoapAnswers.xml(quote))).isEqualTo(quote);
    }

    @Test
    void answerThatLacksAnElementCannotBeRead() {
        assertThatThrownBy(() -> SoapAnswers.answer(new QuoteXml())).isInstanceOf(XmlMappingException.class);
        OrderXml withoutType = new OrderXml();
        withoutType.setOrderId(1L);
        assertThatThrownBy(() -> SoapAnswers.answer(withoutType)).isInstanceOf(XmlMappingException.class);
    }
}
