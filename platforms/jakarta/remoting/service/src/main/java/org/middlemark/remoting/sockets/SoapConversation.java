package org.middlemark.remoting.sockets;

import java.util.Optional;
import org.middlemark.refusals.Refusal;
import org.middlemark.remoting.access.Caller;
import org.middlemark.remoting.domain.Service;
import org.middlemark.remoting.domain.Unforeseen;
import org.middlemark.remoting.domain.Unreadable;
import org.middlemark.remoting.soap.Envelopes;
import org.middlemark.remoting.soap.SoapCalls;
import org.middlemark.remoting.soap.SoapDispatch;

/** SOAP envelopes. They are offered with the authentication {@code none} alone, so there is no gate before them. */
public final class SoapConversation implements Conversation {
    private final SoapDispatch dispatch;

    public SoapConversation(Service service) {
        dispatch = new SoapDispatch(new SoapCalls(service));
    }

    @Override
    public Reply reply(byte[] message, Optional<Caller> certified) {
        return new Reply(answer(message), false);
    }

    private byte[] answer(byte[] message) {
        try {
            Object request = Unreadable.request(() -> Envelopes.read(message));
            return Unforeseen.asInternal(() -> Envelopes.write(dispatch.answer(request)));
        } catch (Refusal refusal) {
            return Envelopes.write(refusal);
        }
    }

    @Override
    public byte[] tooLong() {
        return Envelopes.write(Refusal.invalid("The envelope is longer than 4 MiB."));
    }
}
