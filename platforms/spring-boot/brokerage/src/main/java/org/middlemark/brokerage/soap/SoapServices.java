package org.middlemark.brokerage.soap;

import java.util.Iterator;
import javax.xml.transform.dom.DOMSource;
import org.apache.hc.client5.http.classic.HttpClient;
import org.middlemark.brokerage.errors.ErrorCode;
import org.middlemark.brokerage.errors.Refusal;
import org.middlemark.brokerage.operations.Brokerage;
import org.middlemark.brokerage.services.ServicesConnections;
import org.middlemark.brokerage.settings.Settings;
import org.middlemark.brokerage.soap.wsdl.ObjectFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Profile;
import org.springframework.oxm.jaxb.Jaxb2Marshaller;
import org.springframework.ws.WebServiceMessage;
import org.springframework.ws.client.core.WebServiceTemplate;
import org.springframework.ws.soap.SoapFault;
import org.springframework.ws.soap.SoapFaultDetail;
import org.springframework.ws.soap.SoapFaultDetailElement;
import org.springframework.ws.soap.SoapMessage;
import org.springframework.ws.transport.http.HttpComponents5ClientFactory;
import org.springframework.ws.transport.http.SimpleHttpComponents5MessageSender;

/** Binding {@code soap}: the web tier calls the services over SOAP. */
@Configuration(proxyBeanMethods = false)
@Profile("soap-binding")
class SoapServices {

    private static final Logger LOG = LoggerFactory.getLogger(SoapServices.class);

    @Bean
    Jaxb2Marshaller messages() {
        Jaxb2Marshaller marshaller = new Jaxb2Marshaller();
        marshaller.setContextPath(ObjectFactory.class.getPackageName());
        return marshaller;
    }

    @Bean
    Brokerage services(Jaxb2Marshaller messages, Settings settings) {
        HttpClient connections = ServicesConnections.client(settings.web())
                .addRequestInterceptorFirst(new HttpComponents5ClientFactory.RemoveSoapHeadersInterceptor())
                .build();
        WebServiceTemplate template = new WebServiceTemplate(messages);
        template.setDefaultUri(settings.servicesUrl() + "/services/soap");
        template.setMessageSender(new SimpleHttpComponents5MessageSender(connections));
        template.setFaultMessageResolver(fault -> {
            throw refusal(fault);
        });
        return new SoapBrokerage(template);
    }

    /** Returns what the services have refused; a fault that does not say that is no answer. */
    private static Refusal refusal(WebServiceMessage message) {
        SoapFault fault = ((SoapMessage) message).getSoapBody().getFault();
        try {
            return new Refusal(ErrorCode.of(code(fault)), fault.getFaultStringOrReason());
        } catch (IllegalArgumentException unknown) {
            LOG.error("The services answered the fault {}", fault.getFaultStringOrReason());
            return Refusal.unavailable();
        }
    }

    private static String code(SoapFault fault) {
        SoapFaultDetail detail = fault.getFaultDetail();
        Iterator<SoapFaultDetailElement> entries = detail == null ? null : detail.getDetailEntries();
        return entries != null && entries.hasNext() && entries.next().getSource() instanceof DOMSource code
                ? code.getNode().getTextContent() : "";
    }
}
