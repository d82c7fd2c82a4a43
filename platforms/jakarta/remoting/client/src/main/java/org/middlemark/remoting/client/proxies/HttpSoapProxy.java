package org.middlemark.remoting.client.proxies;

import com.sun.xml.ws.client.ClientTransportException;
import jakarta.xml.soap.SOAPConstants;
import jakarta.xml.ws.BindingProvider;
import jakarta.xml.ws.handler.MessageContext;
import jakarta.xml.ws.soap.SOAPFaultException;
import java.net.URI;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.xml.namespace.QName;
import org.middlemark.calls.Calls;
import org.middlemark.refusals.Refusal;
import org.middlemark.remoting.domain.Codes;
import org.middlemark.remoting.soap.wire.Remoting;
import org.middlemark.remoting.soap.wire.RemotingService;
import org.middlemark.soap.SoapFaults;

/** SOAP over HTTP, by JAX-WS. */
final class HttpSoapProxy extends SoapProxy {
    /** No standard names time-outs and keys: these are the names of the reference implementation. */
    private static final String CONNECT_TIMEOUT = "com.sun.xml.ws.connect.timeout";
    private static final String REQUEST_TIMEOUT = "com.sun.xml.ws.request.timeout";
    private static final String SOCKETS = "com.sun.xml.ws.transport.https.client.SSLSocketFactory";

    /** The key of the failure for an HTTP status that SOAP does not have; its first argument is the status. */
    private static final String STATUS = "http.status.code";

    private static final QName CLIENT = new QName(SOAPConstants.URI_NS_SOAP_1_1_ENVELOPE, "Client");

    private final Remoting port =
            new RemotingService(RemotingService.class.getResource("/remoting.wsdl")).getRemotingSoap();

    HttpSoapProxy(URI service, Credential credential, boolean isShared) {
        Map<String, Object> context = ((BindingProvider) port).getRequestContext();
        context.put(BindingProvider.ENDPOINT_ADDRESS_PROPERTY, service.resolve("/services/soap").toString());
        context.put(CONNECT_TIMEOUT, (int) Calls.LONGEST_CONNECT.toMillis());
        context.put(REQUEST_TIMEOUT, (int) FrameConnection.LONGEST_ANSWER.toMillis());
        credential.identity().ifPresent(
                identity -> context.put(SOCKETS, identity.context().getSocketFactory()));
        Map<String, List<String>> headers = new HashMap<>();
        if (!credential.authorization().isEmpty()) {
            headers.put("Authorization", List.of(credential.authorization()));
        }
        if (!isShared) {
            headers.put("Connection", List.of("close"));
        }
        context.put(MessageContext.HTTP_REQUEST_HEADERS, headers);
    }

    @Override
    Remoting port() {
        return port;
    }

    /** A server's fault of a request that it cannot read has no code, and the faultcode Client (SOAP 1.1, 4.4.1). */
    @Override
    RuntimeException failure(RuntimeException failure) {
        if (failure instanceof ClientTransportException transport && STATUS.equals(transport.getKey())
                && transport.getArguments()[0] instanceof Integer status) {
            return HttpCalls.withoutCode(status);
        }
        if (!(failure instanceof SOAPFaultException fault)) {
            return failure;
        }
        RuntimeException refusal = SoapFaults.refusal(fault, Codes.ALL);
        return refusal == fault && CLIENT.equals(fault.getFault().getFaultCodeAsQName())
                ? Refusal.invalid("The service cannot read the request.") : refusal;
    }

    @Override
    public void disconnect() {
        // A header of each request decides whether its connection is kept.
    }
}
