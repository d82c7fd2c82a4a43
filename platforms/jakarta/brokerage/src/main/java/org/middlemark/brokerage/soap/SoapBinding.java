package org.middlemark.brokerage.soap;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.xml.ws.BindingProvider;
import jakarta.xml.ws.WebServiceRef;
import java.util.List;
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
    /** No standard names time-outs: these are CXF's names, the first until its release 3 and the other from 4 on. */
    private static final List<String> TIMEOUTS = List.of("javax.xml.ws.client", "jakarta.xml.ws.client");

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
        for (String named : TIMEOUTS) {
            context.put(named + ".connectionTimeout", Calls.LONGEST_CONNECT.toMillis());
            context.put(named + ".receiveTimeout", Calls.LONGEST_ANSWER.toMillis());
        }
        return new SoapClient(port, new Calls(calls));
    }
}
