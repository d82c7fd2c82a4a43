package org.middlemark.remoting.grpc;

import io.grpc.Attributes;
import io.grpc.Grpc;
import io.grpc.ServerTransportFilter;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.middlemark.remoting.access.Caller;

/** Reads the role of a certificate once, when its connection is ready. */
final class CertifiedCallers extends ServerTransportFilter {
    static final Attributes.Key<Caller> CALLER = Attributes.Key.create("caller");

    @Override
    public Attributes transportReady(Attributes transport) {
        SSLSession session = transport.get(Grpc.TRANSPORT_ATTR_SSL_SESSION);
        if (session == null) {
            return transport;
        }
        try {
            X509Certificate certificate = (X509Certificate) session.getPeerCertificates()[0];
            return transport.toBuilder().set(CALLER, Caller.of(certificate)).build();
        } catch (SSLPeerUnverifiedException unknown) {
            return transport;
        }
    }
}
