package org.middlemark.remoting.http;

import jakarta.inject.Inject;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.security.cert.X509Certificate;
import java.util.Optional;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.middlemark.refusals.Refusal;
import org.middlemark.remoting.access.Caller;
import org.middlemark.remoting.access.Gate;
import org.middlemark.remoting.domain.Codes;
import org.middlemark.remoting.frames.FrameStream;
import org.middlemark.remoting.soap.Envelopes;

/**
 * Checks each call over HTTP and its length before its request is read. A GET is no call: it asks for the WSDL. A
 * server gives the certificate with each request, so its role is read for each call and not once for the connection.
 */
public class AccessFilter extends HttpFilter {
    private static final Logger LOG = Logger.getLogger(AccessFilter.class.getName());
    private static final String CERTIFICATES = "jakarta.servlet.request.X509Certificate";

    private final Gate gate;

    @Inject
    public AccessFilter(Gate gate) {
        this.gate = gate;
    }

    @Override
    protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        if (request.getMethod().equals("GET")) {
            chain.doFilter(request, response);
            return;
        }
        try {
            gate.admit(request.getHeader("Authorization"), certified(request));
            if (request.getContentLengthLong() > FrameStream.LONGEST) {
                skip(request);
                throw Refusal.invalid("The message is longer than 4 MiB.");
            }
        } catch (Refusal refusal) {
            refuse(request, response, refusal);
            return;
        }
        chain.doFilter(request, response);
    }

    /** Reads as much as the longest message has, because few clients read an answer before they have sent all. */
    private static void skip(HttpServletRequest request) {
        try {
            request.getInputStream().skipNBytes(FrameStream.LONGEST);
        } catch (IOException refused) {
            LOG.log(Level.FINE, "A message that is too long cannot be read", refused);
        }
    }

    private static Optional<Caller> certified(HttpServletRequest request) {
        X509Certificate[] chain = (X509Certificate[]) request.getAttribute(CERTIFICATES);
        return chain == null || chain.length == 0 ? Optional.empty() : Optional.of(Caller.of(chain[0]));
    }

    /** A SOAP fault has HTTP's status 500 with every code. */
    private void refuse(HttpServletRequest request, HttpServletResponse response, Refusal refusal)
            throws IOException {
        if ("/services/soap".equals(request.getServletPath())) {
            response.setStatus(HttpServletResponse.SC_INTERNAL_SERVER_ERROR);
            response.setContentType("text/xml; charset=utf-8");
            response.getOutputStream().write(Envelopes.write(refusal));
        } else {
            if (refusal.code().equals(Codes.UNAUTHENTICATED)) {
                gate.challenge().ifPresent(challenge -> response.setHeader("WWW-Authenticate", challenge));
            }
            HttpFailures.write(response, refusal);
        }
    }
}
