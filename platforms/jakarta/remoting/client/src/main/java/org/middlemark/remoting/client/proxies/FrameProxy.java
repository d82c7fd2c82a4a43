package org.middlemark.remoting.client.proxies;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import middlemark.remoting.v1.RemotingOuterClass.Answer;
import middlemark.remoting.v1.RemotingOuterClass.Call;
import org.middlemark.remoting.domain.Codes;
import org.middlemark.remoting.domain.Operation;
import org.middlemark.remoting.domain.Unreadable;

/** The messages {@code Call} and {@code Answer} in frames, over TCP or a Unix socket. */
final class FrameProxy extends ProtobufProxy {
    private final FrameConnection connection;
    private final String authorization;

    /** @param authorization what each call shows; empty for nothing */
    FrameProxy(FrameConnection connection, String authorization) {
        this.connection = connection;
        this.authorization = authorization;
    }

    @Override
    ByteString exchange(Operation operation, MessageLite request) {
        Call call = Call.newBuilder().setOperation(operation.word()).setAuthorization(authorization)
                .setRequest(request.toByteString()).build();
        Answer answer;
        try {
            answer = Answer.parseFrom(connection.exchange(call.toByteArray()));
        } catch (InvalidProtocolBufferException unreadable) {
            throw new Unreadable("The frame has no message Answer.");
        }
        if (!answer.getCode().isEmpty()) {
            throw Codes.received(answer.getCode(), answer.getMessage());
        }
        return answer.getAnswer();
    }

    @Override
    public void disconnect() {
        connection.disconnect();
    }
}
