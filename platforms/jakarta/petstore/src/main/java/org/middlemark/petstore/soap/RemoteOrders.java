package org.middlemark.petstore.soap;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.Initialized;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.servlet.ServletContext;
import jakarta.xml.ws.soap.SOAPFaultException;
import java.net.MalformedURLException;
import java.net.URL;
import java.util.Optional;
import java.util.function.Supplier;
import org.middlemark.calls.Calls;
import org.middlemark.petstore.domain.Codes;
import org.middlemark.petstore.settings.Settings;
import org.middlemark.petstore.soap.wire.GetOrder;
import org.middlemark.petstore.soap.wire.PetStore;
import org.middlemark.petstore.soap.wire.PetStoreService;
import org.middlemark.petstore.soap.wire.Ping;
import org.middlemark.soap.SoapFaults;
import org.middlemark.soap.SoapPorts;

/** Orders that the web service of another server, or of this one, knows. */
@ApplicationScoped
public class RemoteOrders {
    @Inject
    private Settings settings;
    private volatile URL description;
    private PetStore port;

    /** Finds the description of the service in the archive as the application starts. */
    void starts(@Observes @Initialized(ApplicationScoped.class) ServletContext application)
            throws MalformedURLException {
        description = application.getResource("/WEB-INF/wsdl/petstore.wsdl");
    }

    /** Asks whether the service answers. */
    public void ping() {
        call(() -> port().ping(new Ping()));
    }

    /** The user of an order. */
    public String user(long orderId) {
        GetOrder request = new GetOrder();
        request.setOrderId(orderId);
        // A response without the user is none that can be read.
        return call(() -> Optional.ofNullable(port().getOrder(request).getUserId()).orElseThrow());
    }

    /** All calls share the port, which is made for the first one: a port costs many times a call. */
    private synchronized PetStore port() {
        if (port == null) {
            port = SoapPorts.aimed(new PetStoreService(description).getPetStoreSoap(), settings.service());
        }
        return port;
    }

    private static <T> T call(Supplier<T> operation) {
        return Calls.answer(() -> {
            try {
                return operation.get();
            } catch (SOAPFaultException failure) {
                throw SoapFaults.refusal(failure, Codes.OF_WEB_SERVICE);
            }
        });
    }
}
