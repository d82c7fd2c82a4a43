package org.middlemark.remoting.sockets;

import com.google.protobuf.InvalidProtocolBufferException;
import java.util.Optional;
import middlemark.remoting.v1.RemotingOuterClass.Answer;
import middlemark.remoting.v1.RemotingOuterClass.Call;
import org.middlemark.refusals.Refusal;
import org.middlemark.remoting.access.Caller;
import org.middlemark.remoting.access.Gate;
import org.middlemark.remoting.domain.Operation;
import org.middlemark.remoting.domain.Service;
import org.middlemark.remoting.domain.Unforeseen;
import org.middlemark.remoting.protobuf.ProtobufCalls;

/** Messages {@code Call} and {@code Answer}. */
public final class ProtobufConversation implements Conversation {
    private final ProtobufCalls calls;
    private final Gate gate;

    public ProtobufConversation(Service service, Gate gate) {
        calls = new ProtobufCalls(service);
        this.gate = gate;
    }

    @Override
    public Reply reply(byte[] message, Optional<Caller> certified) {
        Call call;
        try {
            call = Call.parseFrom(message);
        } catch (InvalidProtocolBufferException unreadable) {
            return new Reply(answer(Refusal.invalid("The frame has no message Call.")).toByteArray(), true);
        }
        return new Reply(answer(call, certified).toByteArray(), false);
    }

    private Answer answer(Call call, Optional<Caller> certified) {
        try {
            return Unforeseen.asInternal(() -> admitted(call, certified));
        } catch (Refusal refusal) {
            return answer(refusal);
        }
    }

    private Answer admitted(Call call, Optional<Caller> certified) {
        gate.admit(call.getAuthorization(), certified);
        Operation operation = Operation.of(call.getOperation())
                .orElseThrow(() -> Refusal.invalid("operation is not one of the service."));
        return Answer.newBuilder().setAnswer(calls.answer(operation, call.getRequest()).toByteString()).build();
    }

    private static Answer answer(Refusal refusal) {
        return Answer.newBuilder().setCode(refusal.code().word()).setMessage(refusal.getMessage()).build();
    }

    @Override
    public byte[] tooLong() {
        return answer(Refusal.invalid("The frame is longer than 4 MiB.")).toByteArray();
    }
}
