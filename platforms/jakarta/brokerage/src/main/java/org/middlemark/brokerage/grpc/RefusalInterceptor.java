package org.middlemark.brokerage.grpc;

import io.grpc.ForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.middlemark.brokerage.domain.Code;
import org.middlemark.brokerage.domain.Refusal;

/**
 * Answers refusals with their status and code, and everything unforeseen as an internal one with its details in the
 * log. A message that cannot be read gRPC itself would answer with UNKNOWN.
 */
final class RefusalInterceptor implements ServerInterceptor {
    private static final Logger LOG = Logger.getLogger(RefusalInterceptor.class.getName());

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(ServerCall<Q, A> call, Metadata headers,
            ServerCallHandler<Q, A> next) {
        return new Refusing<>(call, next.startCall(call, headers));
    }

    private static final class Refusing<Q> extends ForwardingServerCallListener.SimpleForwardingServerCallListener<Q> {
        private final ServerCall<Q, ?> call;
        private boolean isUnreadable;

        Refusing(ServerCall<Q, ?> call, ServerCall.Listener<Q> next) {
            super(next);
            this.call = call;
        }

        @Override
        public void onMessage(Q message) {
            try {
                super.onMessage(message);
            } catch (StatusRuntimeException unreadable) {
                isUnreadable = true;
                call.close(unreadable.getStatus(), new Metadata());
            }
        }

        @Override
        public void onHalfClose() {
            if (isUnreadable) {
                return;
            }
            try {
                super.onHalfClose();
            } catch (Refusal refusal) {
                close(call, refusal);
            } catch (RuntimeException unforeseen) {
                LOG.log(Level.SEVERE, "A gRPC request failed", unforeseen);
                close(call, Refusal.internal(unforeseen));
            }
        }
    }

    static void close(ServerCall<?, ?> call, Refusal refusal) {
        Code code = refusal.code();
        Status status = GrpcStatus.of(code).withDescription(refusal.getMessage());
        Metadata trailers = new Metadata();
        trailers.put(GrpcStatus.CODE, code.word());
        call.close(status, trailers);
    }
}
