package org.middlemark.brokerage.soap;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.xml.ws.BindingProvider;
import jakarta.xml.ws.WebServiceRef;
import java.util.Map;
import org.middlemark.brokerage.services.Calls;
import org.middlemark.brokerage.services.RemoteBinding;
import org.middlemark.brokerage.services.RemoteServices;
import org.middlemark.brokerage.settings.Binding;
import org.middlemark.brokerage.settings.ServicesAddress;
import org.middlemark.brokerage.soap.wire.Brokerage;
import org.middlemark.brokerage.soap.wire.BrokerageService;

/** Calls services elsewhere by SOAP. */
@ApplicationScoped
public class SoapBinding implements RemoteBinding {
    @WebServiceRef
    private BrokerageService service;

    @Override
    public Binding binding() {
        return Binding.SOAP;
    }

    @Override
    public RemoteServices connect(ServicesAddress address, int calls) {
        Brokerage port = service.getBrokerageSoap();
        Map<String, Object> context = ((BindingProvider) port).getRequestContext();
        context.put(BindingProvider.ENDPOINT_ADDRESS_PROPERTY, address + "/services/soap");
        context.put("javax.xml.ws.client.connectionTimeout", Calls.LONGEST_CONNECT.toMillis());
        context.put("javax.xml.ws.client.receiveTimeout", Calls.LONGEST_ANSWER.toMillis());
        return new SoapClient(port, new Calls(calls));
    }
}
