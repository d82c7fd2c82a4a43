package org.middlemark.brokerage.grpc;

import io.grpc.HandlerRegistry;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerMethodDefinition;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import org.middlemark.brokerage.messages.Operation;

/** Every method that the service does not have: refused with its name. */
final class UnknownOperations extends HandlerRegistry {
    @Override
    public ServerMethodDefinition<?, ?> lookupMethod(String methodName, String authority) {
        MethodDescriptor<InputStream, InputStream> method = MethodDescriptor
                .newBuilder(new Bytes(), new Bytes()).setType(MethodDescriptor.MethodType.UNKNOWN)
                .setFullMethodName(methodName).build();
        return ServerMethodDefinition.create(method,
                new Refusing(methodName.substring(methodName.lastIndexOf('/') + 1)));
    }

    private record Refusing(String name) implements ServerCallHandler<InputStream, InputStream> {
        @Override
        public ServerCall.Listener<InputStream> startCall(ServerCall<InputStream, InputStream> call, Metadata headers) {
            RefusalInterceptor.close(call, Operation.unknown(name));
            return new ServerCall.Listener<>() { };
        }
    }

    /** Messages that nobody looks at. */
    private static final class Bytes implements MethodDescriptor.Marshaller<InputStream> {
        @Override
        public InputStream stream(InputStream message) {
            return message;
        }

        @Override
        public InputStream parse(InputStream message) {
            return new ByteArrayInputStream(new byte[0]);
        }
    }
}
