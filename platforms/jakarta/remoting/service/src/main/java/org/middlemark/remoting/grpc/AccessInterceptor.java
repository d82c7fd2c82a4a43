package org.middlemark.remoting.grpc;

import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import java.util.Optional;
import org.middlemark.refusals.Refusal;
import org.middlemark.remoting.access.Gate;

/** Checks each call before its request is read. */
final class AccessInterceptor implements ServerInterceptor {
    private static final Metadata.Key<String> AUTHORIZATION =
            Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

    private final Gate gate;

    AccessInterceptor(Gate gate) {
        this.gate = gate;
    }

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(ServerCall<Q, A> call, Metadata headers,
            ServerCallHandler<Q, A> next) {
        try {
            gate.admit(headers.get(AUTHORIZATION),
                    Optional.ofNullable(call.getAttributes().get(CertifiedCallers.CALLER)));
        } catch (Refusal refusal) {
            RemotingStatus.ALL.close(call, refusal);
            return new ServerCall.Listener<Q>() {
            };
        }
        return next.startCall(call, headers);
    }
}
