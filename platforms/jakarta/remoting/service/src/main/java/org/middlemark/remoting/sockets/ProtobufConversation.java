package org.middlemark.remoting.sockets;

import com.google.protobuf.InvalidProtocolBufferException;
import java.util.Optional;
import java.util.logging.Level;
import java.util.logging.Logger;
import middlemark.remoting.v1.RemotingOuterClass.Answer;
import middlemark.remoting.v1.RemotingOuterClass.Call;
import org.middlemark.refusals.Refusal;
import org.middlemark.remoting.access.Caller;
import org.middlemark.remoting.access.Gate;
import org.middlemark.remoting.domain.Operation;
import org.middlemark.remoting.domain.Service;
import org.middlemark.remoting.protobuf.ProtobufCalls;

/** Messages {@code Call} and {@code Answer}. */
public final class ProtobufConversation implements Conversation {
    private static final Logger LOG = Logger.getLogger(ProtobufConversation.class.getName());

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
            gate.admit(call.getAuthorization(), certified);
            Operation operation = Operation.of(call.getOperation())
                    .orElseThrow(() -> Refusal.invalid("operation is not one of the service."));
            return Answer.newBuilder().setAnswer(calls.answer(operation, call.getRequest()).toByteString()).build();
        } catch (Refusal refusal) {
            return answer(refusal);
        } catch (RuntimeException unforeseen) {
            LOG.log(Level.SEVERE, "A call failed", unforeseen);
            return answer(Refusal.internal(unforeseen));
        }
    }

    private static Answer answer(Refusal refusal) {
        return Answer.newBuilder().setCode(refusal.code().word()).setMessage(refusal.getMessage()).build();
    }

    @Override
    public byte[] tooLong() {
        return answer(Refusal.invalid("The frame is longer than 4 MiB.")).toByteArray();
    }
}
