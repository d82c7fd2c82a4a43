package org.middlemark.grpc;

import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.middlemark.refusals.Refusal;

/** Answers refusals with their status and code, and what is unforeseen as an internal one, its details in the log. */
public final class RefusalInterceptor implements ServerInterceptor {
    private static final Logger LOG = Logger.getLogger(RefusalInterceptor.class.getName());

    private final GrpcStatus status;

    public RefusalInterceptor(GrpcStatus status) {
        this.status = status;
    }

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(ServerCall<Q, A> call, Metadata headers,
            ServerCallHandler<Q, A> next) {
        return new SimpleForwardingServerCallListener<>(next.startCall(call, headers)) {
            @Override
            public void onHalfClose() {
                try {
                    super.onHalfClose();
                } catch (Refusal refusal) {
                    status.close(call, refusal);
                } catch (RuntimeException unforeseen) {
                    LOG.log(Level.SEVERE, "A gRPC request failed", unforeseen);
                    status.close(call, Refusal.internal(unforeseen));
                }
            }
        };
    }
}
