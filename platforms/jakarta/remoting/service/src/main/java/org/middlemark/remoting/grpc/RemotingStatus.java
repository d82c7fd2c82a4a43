package org.middlemark.remoting.grpc;

import io.grpc.Status;
import java.util.Map;
import org.middlemark.grpc.GrpcStatus;
import org.middlemark.refusals.Code;
import org.middlemark.remoting.domain.Codes;

/** The status of each code. */
final class RemotingStatus {
    static final GrpcStatus ALL = new GrpcStatus(Map.of(
            Code.INVALID_INPUT, Status.INVALID_ARGUMENT,
            Codes.UNAUTHENTICATED, Status.UNAUTHENTICATED,
            Codes.FORBIDDEN, Status.PERMISSION_DENIED,
            Code.UNAVAILABLE, Status.UNAVAILABLE,
            Code.INTERNAL, Status.INTERNAL));

    private RemotingStatus() {
    }
}
