package org.middlemark.brokerage.soap;

import jakarta.inject.Inject;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.middlemark.brokerage.domain.Refusal;
import org.middlemark.brokerage.messages.Operation;
import org.middlemark.brokerage.settings.Settings;

/**
 * Decides before JAX-WS does what is left open there: which documents are requests, which fault of one is told first,
 * and what is answered to other methods. A request that it lets pass is written anew as the description has it, so
 * every server's JAX-WS reads the same.
 */
public class SoapGate extends HttpFilter {
    private static final String DESCRIPTION = "/WEB-INF/wsdl/brokerage.wsdl";
    private static final String DESCRIBED_ADDRESS = "http://127.0.0.1:8080" + SoapNames.PATH;
    private static final int MOST_BYTES = 64 * 1024;
    private static final String UNDERSTAND = "1";

    @Inject
    private Settings settings;
    private String description;

    @Override
    public void init() throws ServletException {
        try (InputStream file = getServletContext().getResourceAsStream(DESCRIPTION)) {
            description = new String(file.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException unreadable) {
            throw new ServletException("reading " + DESCRIPTION, unreadable);
        }
    }

    @Override
    protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        if (!settings.offersServices()) {
            response.sendError(HttpServletResponse.SC_NOT_FOUND);
        } else if ("POST".equals(request.getMethod())) {
            post(request, response, chain);
        } else if ("GET".equals(request.getMethod()) && "wsdl".equalsIgnoreCase(request.getQueryString())) {
            describe(request, response);
        } else {
            response.setHeader("Allow", "GET, POST");
            response.setStatus(HttpServletResponse.SC_METHOD_NOT_ALLOWED);
        }
    }

    private void post(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        byte[] checked;
        try {
            checked = checked(request.getInputStream().readNBytes(MOST_BYTES + 1));
        } catch (NotUnderstood header) {
            answer(response, header.fault);
            return;
        } catch (Refusal refusal) {
            answer(response, SoapFault.of(refusal));
            return;
        }
        chain.doFilter(new CheckedRequest(request, checked), response);
    }

    private static byte[] checked(byte[] body) throws NotUnderstood {
        SoapEnvelope envelope = envelope(body);
        for (XmlElement header : envelope.headers()) {
            if (UNDERSTAND.equals(header.attribute(SoapNames.MUST_UNDERSTAND))) {
                throw new NotUnderstood(header);
            }
        }
        Operation operation = RequestReader.operation(envelope.content());
        return SoapWriter.request(operation, RequestReader.read(operation, envelope.content()));
    }

    private static SoapEnvelope envelope(byte[] body) {
        try {
            if (body.length <= MOST_BYTES) {
                return SoapEnvelope.read(body);
            }
        } catch (XmlReader.NoDocument malformed) {
            throw noEnvelope();
        }
        throw noEnvelope();
    }

    private static Refusal noEnvelope() {
        return Refusal.invalid("The request must be one SOAP envelope.");
    }

    private static void answer(HttpServletResponse response, SoapFault fault) throws IOException {
        response.setStatus(HttpServletResponse.SC_INTERNAL_SERVER_ERROR);
        send(response, SoapWriter.fault(fault));
    }

    private void describe(HttpServletRequest request, HttpServletResponse response) throws IOException {
        String host = request.getHeader("Host").replace("&", "&amp;").replace("<", "&lt;").replace("\"", "&quot;");
        send(response, description.replace(DESCRIBED_ADDRESS, "http://" + host + SoapNames.PATH)
                .getBytes(StandardCharsets.UTF_8));
    }

    private static void send(HttpServletResponse response, byte[] document) throws IOException {
        response.setContentType(SoapNames.CONTENT_TYPE);
        response.setContentLength(document.length);
        response.getOutputStream().write(document);
    }

    /** A header that must be understood is not: the one refusal with a fault code of its own. */
    private static final class NotUnderstood extends Exception {
        private final transient SoapFault fault;

        NotUnderstood(XmlElement header) {
            fault = SoapFault.notUnderstood(header);
        }
    }
}
