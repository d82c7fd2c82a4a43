package org.middlemark.brokerage.soap;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.springframework.ws.soap.SoapMessageCreationException;
import org.springframework.ws.transport.http.MessageDispatcherServlet;
import org.springframework.ws.wsdl.WsdlDefinition;

/** Spring-WS at one address: it knows by itself neither {@code ?wsdl} nor that a body of another type is the client's mistake. */
final class SoapServlet extends MessageDispatcherServlet {

    private static final long serialVersionUID = 1L;

    private final transient WsdlDefinition description;

    SoapServlet(WsdlDefinition description) {
        this.description = description;
    }

    @Override
    protected WsdlDefinition getWsdlDefinition(HttpServletRequest request) {
        return "GET".equals(request.getMethod()) && "wsdl".equalsIgnoreCase(request.getQueryString()) ? description : null;
    }

    @Override
    protected void doService(HttpServletRequest request, HttpServletResponse response) throws Exception {
        try {
            super.doService(request, response);
        } catch (SoapMessageCreationException unreadable) {
            response.setStatus(HttpServletResponse.SC_BAD_REQUEST);
        }
    }
}
