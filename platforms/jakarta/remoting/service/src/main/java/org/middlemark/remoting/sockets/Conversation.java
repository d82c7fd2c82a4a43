package org.middlemark.remoting.sockets;

import java.util.Optional;
import org.middlemark.remoting.access.Caller;

/** The messages of a connection: one, its reply, and the next. */
public interface Conversation {
    /**
     * The reply to a message.
     *
     * @param certified the user whom the certificate of the connection names
     */
    Reply reply(byte[] message, Optional<Caller> certified);

    /** The reply to a message that is longer than the longest one. */
    byte[] tooLong();

    /**
     * A message back.
     *
     * @param isLast whether the connection is closed after it
     */
    record Reply(byte[] message, boolean isLast) {
    }
}
