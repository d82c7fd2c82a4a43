package org.middlemark.brokerage.soap;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.Initialized;
import jakarta.enterprise.event.Observes;
import jakarta.servlet.ServletContext;
import jakarta.xml.ws.BindingProvider;
import java.net.MalformedURLException;
import java.net.URL;
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

    private volatile URL description;

    /** Finds the description of the services in the archive as the application starts. */
    void starts(@Observes @Initialized(ApplicationScoped.class) ServletContext application)
            throws MalformedURLException {
        description = application.getResource("/WEB-INF/wsdl/brokerage.wsdl");
    }

    @Override
    public Binding binding() {
        return Binding.SOAP;
    }

    @Override
    public RemoteServices connect(ServicesAddress address, int calls) {
        Brokerage port = new BrokerageService(description).getBrokerageSoap();
        Map<String, Object> context = ((BindingProvider) port).getRequestContext();
        context.put(BindingProvider.ENDPOINT_ADDRESS_PROPERTY, address + "/services/soap");
        for (String named : TIMEOUTS) {
            context.put(named + ".connectionTimeout", Calls.LONGEST_CONNECT.toMillis());
            context.put(named + ".receiveTimeout", Calls.LONGEST_ANSWER.toMillis());
        }
        return new SoapClient(port, new Calls(calls));
    }
}
