package org.middlemark.brokerage.grpc;

import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.middlemark.refusals.Refusal;

/** Answers refusals with their status and code, and what is unforeseen as an internal one, its details in the log. */
final class RefusalInterceptor implements ServerInterceptor {
    private static final Logger LOG = Logger.getLogger(RefusalInterceptor.class.getName());

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(ServerCall<Q, A> call, Metadata headers,
            ServerCallHandler<Q, A> next) {
        return new SimpleForwardingServerCallListener<>(next.startCall(call, headers)) {
            @Override
            public void onHalfClose() {
                try {
                    super.onHalfClose();
                } catch (Refusal refusal) {
                    close(call, refusal);
                } catch (RuntimeException unforeseen) {
                    LOG.log(Level.SEVERE, "A gRPC request failed", unforeseen);
                    close(call, Refusal.internal(unforeseen));
                }
            }
        };
    }

    private static void close(ServerCall<?, ?> call, Refusal refusal) {
        Metadata trailers = new Metadata();
        trailers.put(GrpcStatus.CODE, refusal.code().word());
        call.close(GrpcStatus.of(refusal.code()).withDescription(refusal.getMessage()), trailers);
    }
}
