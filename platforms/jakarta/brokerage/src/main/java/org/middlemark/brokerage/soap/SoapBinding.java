package org.middlemark.brokerage.soap;

import jakarta.enterprise.context.ApplicationScoped;
import org.middlemark.brokerage.messages.HttpCalls;
import org.middlemark.brokerage.services.RemoteBinding;
import org.middlemark.brokerage.services.RemoteServices;
import org.middlemark.brokerage.settings.Binding;
import org.middlemark.brokerage.settings.ServicesAddress;

/** Calls services elsewhere by SOAP. */
@ApplicationScoped
public class SoapBinding implements RemoteBinding {
    @Override
    public Binding binding() {
        return Binding.SOAP;
    }

    @Override
    public RemoteServices connect(ServicesAddress address, int connections) {
        return new SoapClient(new HttpCalls(address, connections));
    }
}
