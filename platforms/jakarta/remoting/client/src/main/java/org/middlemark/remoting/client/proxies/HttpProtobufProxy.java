package org.middlemark.remoting.client.proxies;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import org.middlemark.remoting.domain.Operation;

/** The messages of remoting.proto over HTTP. */
final class HttpProtobufProxy extends ProtobufProxy {
    private final HttpCalls calls;

    HttpProtobufProxy(HttpCalls calls) {
        this.calls = calls;
    }

    @Override
    ByteString exchange(Operation operation, MessageLite request) {
        return ByteString.copyFrom(calls.post("/services/protobuf/" + operation.word(), "application/x-protobuf",
                request.toByteArray()));
    }

    @Override
    public void disconnect() {
        // A header of each request decides whether its connection is kept.
    }
}
