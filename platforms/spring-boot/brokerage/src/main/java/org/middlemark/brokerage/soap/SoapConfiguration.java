package org.middlemark.brokerage.soap;

import org.middlemark.brokerage.settings.ServicesTier;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.io.ClassPathResource;
import org.springframework.ws.config.annotation.EnableWs;
import org.springframework.ws.transport.http.MessageDispatcherServlet;
import org.springframework.ws.wsdl.WsdlDefinition;
import org.springframework.ws.wsdl.wsdl11.SimpleWsdl11Definition;

/** The SOAP interface, at the one address that its clients have. */
@Configuration(proxyBeanMethods = false)
@EnableWs
@ServicesTier
class SoapConfiguration {

    @Bean
    SimpleWsdl11Definition description() {
        return new SimpleWsdl11Definition(new ClassPathResource("brokerage.wsdl"));
    }

    @Bean
    SoapFaults faults() {
        SoapFaults faults = new SoapFaults();
        faults.setOrder(Ordered.HIGHEST_PRECEDENCE);
        return faults;
    }

    @Bean
    ServletRegistrationBean<MessageDispatcherServlet> soap(ApplicationContext context, WsdlDefinition description) {
        MessageDispatcherServlet servlet = new SoapServlet(description);
        servlet.setApplicationContext(context);
        servlet.setTransformWsdlLocations(true);
        return new ServletRegistrationBean<>(servlet, "/services/soap");
    }
}
