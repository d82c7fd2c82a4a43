package org.middlemark.grpc;

import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.Map;
import org.middlemark.refusals.Code;
import org.middlemark.refusals.Refusal;

/** Between refusals and failed calls, whose trailing metadata has the code. */
public final class GrpcStatus {
    private static final Metadata.Key<String> CODE =
            Metadata.Key.of("middlemark-code", Metadata.ASCII_STRING_MARSHALLER);

    private final Map<Code, Status> statuses;

    /** The status of each code of an application. */
    public GrpcStatus(Map<Code, Status> statuses) {
        this.statuses = statuses;
    }

    /** Ends a call with a refusal. */
    public void close(ServerCall<?, ?> call, Refusal refusal) {
        Metadata trailers = new Metadata();
        trailers.put(CODE, refusal.code().word());
        call.close(statuses.get(refusal.code()).withDescription(refusal.getMessage()), trailers);
    }

    /** The refusal of a failed call, by its code; the exception itself when it has none of the codes. */
    public RuntimeException refusal(StatusRuntimeException failure) {
        String word = failure.getTrailers() == null ? null : failure.getTrailers().get(CODE);
        String message = failure.getStatus().getDescription();
        return Code.of(word, statuses.keySet()).<RuntimeException>map(code -> new Refusal(code, message))
                .orElse(failure);
    }
}
