package org.middlemark.brokerage.soap;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.Initialized;
import jakarta.enterprise.event.Observes;
import jakarta.servlet.ServletContext;
import java.net.MalformedURLException;
import java.net.URL;
import org.middlemark.brokerage.services.RemoteBinding;
import org.middlemark.brokerage.services.RemoteServices;
import org.middlemark.brokerage.settings.Binding;
import org.middlemark.brokerage.soap.wire.Brokerage;
import org.middlemark.brokerage.soap.wire.BrokerageService;
import org.middlemark.calls.Calls;
import org.middlemark.settings.ServicesAddress;
import org.middlemark.soap.SoapPorts;

/** Calls services elsewhere by SOAP. */
@ApplicationScoped
public class SoapBinding implements RemoteBinding {
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
        Brokerage port = SoapPorts.aimed(new BrokerageService(description).getBrokerageSoap(), address);
        return new SoapClient(port, new Calls(calls));
    }
}
