package org.middlemark.brokerage.grpc;

import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.Map;
import org.middlemark.brokerage.domain.Codes;
import org.middlemark.refusals.Code;
import org.middlemark.refusals.Refusal;

/** The status of each code, and where the code itself is. */
final class GrpcStatus {
    /** In the trailing metadata. */
    static final Metadata.Key<String> CODE = Metadata.Key.of("middlemark-code", Metadata.ASCII_STRING_MARSHALLER);

    private static final Map<Code, Status> STATUS = Map.ofEntries(
            Map.entry(Code.INVALID_INPUT, Status.INVALID_ARGUMENT),
            Map.entry(Code.AUTHENTICATION_FAILED, Status.PERMISSION_DENIED),
            Map.entry(Codes.UNKNOWN_USER, Status.NOT_FOUND),
            Map.entry(Codes.UNKNOWN_SYMBOL, Status.NOT_FOUND),
            Map.entry(Codes.UNKNOWN_HOLDING, Status.NOT_FOUND),
            Map.entry(Codes.USER_EXISTS, Status.ALREADY_EXISTS),
            Map.entry(Codes.INSUFFICIENT_FUNDS, Status.FAILED_PRECONDITION),
            Map.entry(Codes.ALREADY_BEING_SOLD, Status.FAILED_PRECONDITION),
            Map.entry(Code.UNAVAILABLE, Status.UNAVAILABLE),
            Map.entry(Code.INTERNAL, Status.INTERNAL));

    private GrpcStatus() {
    }

    static Status of(Code code) {
        return STATUS.get(code);
    }

    /** The refusal that a failed call tells; the exception itself when it tells none. */
    static RuntimeException refusal(StatusRuntimeException failure) {
        String word = failure.getTrailers() == null ? null : failure.getTrailers().get(CODE);
        String message = failure.getStatus().getDescription();
        return Code.of(word, Codes.ALL).<RuntimeException>map(code -> new Refusal(code, message)).orElse(failure);
    }
}
