package org.middlemark.soap;

import jakarta.xml.ws.BindingProvider;
import java.util.List;
import java.util.Map;
import org.middlemark.calls.Calls;
import org.middlemark.settings.ServicesAddress;

/** Proxies of web services. */
public final class SoapPorts {
    /** No standard names time-outs: these are CXF's names, the first until its release 3 and the other from 4 on. */
    private static final List<String> TIMEOUTS = List.of("javax.xml.ws.client", "jakarta.xml.ws.client");

    private SoapPorts() {
    }

    /** Points a port to the services at an address, with time-outs. All calls share it: nothing changes it later. */
    public static <T> T aimed(T port, ServicesAddress address) {
        Map<String, Object> context = ((BindingProvider) port).getRequestContext();
        context.put(BindingProvider.ENDPOINT_ADDRESS_PROPERTY, address + "/services/soap");
        for (String named : TIMEOUTS) {
            context.put(named + ".connectionTimeout", Calls.LONGEST_CONNECT.toMillis());
            context.put(named + ".receiveTimeout", Calls.LONGEST_ANSWER.toMillis());
        }
        return port;
    }
}
