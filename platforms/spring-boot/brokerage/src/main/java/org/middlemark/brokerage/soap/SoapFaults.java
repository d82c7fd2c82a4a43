package org.middlemark.brokerage.soap;

import jakarta.xml.bind.JAXBException;
import java.util.Locale;
import javax.xml.namespace.QName;
import org.middlemark.brokerage.errors.ErrorCode;
import org.middlemark.brokerage.errors.Refusal;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.ws.soap.SoapFault;
import org.springframework.ws.soap.server.endpoint.AbstractSoapFaultDefinitionExceptionResolver;
import org.springframework.ws.soap.server.endpoint.SoapFaultDefinition;

/** Refusals over SOAP as faults. What JAXB cannot read is the client's. */
class SoapFaults extends AbstractSoapFaultDefinitionExceptionResolver {

    private static final Logger LOG = LoggerFactory.getLogger(SoapFaults.class);

    @Override
    protected SoapFaultDefinition getFaultDefinition(Object endpoint, Exception exception) {
        Refusal refusal = refusal(exception);
        SoapFaultDefinition fault = new SoapFaultDefinition();
        fault.setFaultCode(refusal.code().isFailure() ? SoapFaultDefinition.SERVER : SoapFaultDefinition.CLIENT);
        fault.setFaultStringOrReason(refusal.getMessage());
        fault.setLocale(Locale.ENGLISH);
        return fault;
    }

    @Override
    protected void customizeFault(Object endpoint, Exception exception, SoapFault fault) {
        ErrorCode code = refusal(exception).code();
        fault.addFaultDetail().addFaultDetailElement(new QName("code")).addText(code.code());
    }

    private static Refusal refusal(Exception exception) {
        if (exception instanceof Refusal refusal) {
            return refusal;
        }
        if (exception instanceof JAXBException) {
            return Refusal.invalidInput("The request cannot be read.");
        }
        LOG.error("A request over SOAP failed", exception);
        return Refusal.internal();
    }
}
