package org.middlemark.brokerage.grpc;

import io.grpc.Status;
import java.util.Map;
import org.middlemark.brokerage.domain.Codes;
import org.middlemark.grpc.GrpcStatus;
import org.middlemark.refusals.Code;

/** The status of each code. */
final class BrokerageStatus {
    static final GrpcStatus ALL = new GrpcStatus(Map.ofEntries(
            Map.entry(Code.INVALID_INPUT, Status.INVALID_ARGUMENT),
            Map.entry(Code.AUTHENTICATION_FAILED, Status.PERMISSION_DENIED),
            Map.entry(Codes.UNKNOWN_USER, Status.NOT_FOUND),
            Map.entry(Codes.UNKNOWN_SYMBOL, Status.NOT_FOUND),
            Map.entry(Codes.UNKNOWN_HOLDING, Status.NOT_FOUND),
            Map.entry(Codes.USER_EXISTS, Status.ALREADY_EXISTS),
            Map.entry(Codes.INSUFFICIENT_FUNDS, Status.FAILED_PRECONDITION),
            Map.entry(Codes.ALREADY_BEING_SOLD, Status.FAILED_PRECONDITION),
            Map.entry(Code.UNAVAILABLE, Status.UNAVAILABLE),
            Map.entry(Code.INTERNAL, Status.INTERNAL)));

    private BrokerageStatus() {
    }
}
