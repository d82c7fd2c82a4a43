package org.middlemark.brokerage.json;

import jakarta.enterprise.context.ApplicationScoped;
import org.middlemark.brokerage.messages.HttpCalls;
import org.middlemark.brokerage.services.RemoteBinding;
import org.middlemark.brokerage.services.RemoteServices;
import org.middlemark.brokerage.settings.Binding;
import org.middlemark.brokerage.settings.ServicesAddress;

/** Calls services elsewhere by JSON. */
@ApplicationScoped
public class JsonBinding implements RemoteBinding {
    @Override
    public Binding binding() {
        return Binding.JSON;
    }

    @Override
    public RemoteServices connect(ServicesAddress address, int connections) {
        return new JsonClient(new HttpCalls(address, connections));
    }
}
