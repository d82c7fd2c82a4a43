package org.middlemark.remoting.sockets;

import java.util.Optional;
import org.middlemark.remoting.access.Caller;

/** What is said on a connection: a message, its reply, and again. */
public interface Conversation {
    /**
     * The reply to a message.
     *
     * @param certified who the certificate of the connection names
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
