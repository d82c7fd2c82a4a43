package org.middlemark.remoting.sockets;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.middlemark.remoting.frames.FrameStream;
import org.middlemark.remoting.frames.Watch;
import org.middlemark.remoting.sockets.Acceptor.Accepted;
import org.middlemark.remoting.sockets.Acceptor.Incoming;

/** Accepts connections and converses on each with a thread of its own. */
public final class StreamListener {
    private static final Duration LONGEST_FRAME = Duration.ofSeconds(10);
    private static final Duration LONGEST_END = Duration.ofSeconds(10);
    private static final int PAUSE_MILLISECONDS = 50;
    private static final Logger LOG = Logger.getLogger(StreamListener.class.getName());

    private final Acceptor acceptor;
    private final Conversation conversation;
    private final ThreadFactory threads;
    private final Watch watch = new Watch();
    private final Set<Connection> connections = ConcurrentHashMap.newKeySet();
    private Thread watching;
    private volatile boolean stopping;

    private StreamListener(Acceptor acceptor, Conversation conversation, ThreadFactory threads) {
        this.acceptor = acceptor;
        this.conversation = conversation;
        this.threads = threads;
    }

    /** Begins to accept. */
    public static StreamListener start(Acceptor acceptor, Conversation conversation, ThreadFactory threads) {
        StreamListener listener = new StreamListener(acceptor, conversation, threads);
        listener.watching = threads.newThread(listener.watch);
        listener.watching.start();
        threads.newThread(listener::accept).start();
        return listener;
    }

    private void accept() {
        while (!stopping) {
            try {
                Incoming incoming = acceptor.accept();
                threads.newThread(() -> serve(incoming)).start();
            } catch (IOException failure) {
                if (!stopping) {
                    LOG.log(Level.WARNING, "A connection was not accepted", failure);
                    pause();
                }
            }
        }
    }

    private void serve(Incoming incoming) {
        try {
            Connection connection = new Connection(incoming.open());
            connections.add(connection);
            try {
                connection.converse();
            } finally {
                connections.remove(connection);
                connection.close();
            }
        } catch (IOException gone) {
            LOG.log(Level.FINE, "A connection has ended", gone);
        }
    }

    /** Accepts nothing more, waits for the calls under way and closes all connections. */
    public void close() throws IOException {
        stopping = true;
        acceptor.close();
        for (Connection connection : connections) {
            connection.closeUnlessAnswering();
        }
        long end = System.nanoTime() + LONGEST_END.toNanos();
        while (!connections.isEmpty() && System.nanoTime() < end) {
            pause();
        }
        for (Connection connection : connections) {
            connection.close();
        }
        watching.interrupt();
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLISECONDS);
        } catch (InterruptedException hurry) {
            Thread.currentThread().interrupt();
        }
    }

    /** A connection and whether it has a call. */
    private final class Connection {
        private final Accepted accepted;
        private boolean isAnswering;

        Connection(Accepted accepted) {
            this.accepted = accepted;
        }

        void converse() throws IOException {
            FrameStream stream = accepted.stream();
            watch.add(stream);
            try {
                boolean goesOn = !stopping;
                while (goesOn) {
                    Optional<byte[]> message = stream.read(LONGEST_FRAME);
                    goesOn = message.isPresent() && begin() && answer(stream, message.get());
                }
            } catch (FrameStream.TooLong tooLong) {
                stream.write(conversation.tooLong());
                stream.discard();
            } finally {
                watch.remove(stream);
            }
        }

        private boolean answer(FrameStream stream, byte[] message) throws IOException {
            Conversation.Reply reply = conversation.reply(message, accepted.certified());
            stream.within(LONGEST_FRAME);
            stream.write(reply.message());
            stream.withoutLimit();
            return end() && !reply.isLast();
        }

        private synchronized boolean begin() {
            isAnswering = !stopping;
            return isAnswering;
        }

        private synchronized boolean end() {
            isAnswering = false;
            return !stopping;
        }

        synchronized void closeUnlessAnswering() throws IOException {
            if (!isAnswering) {
                close();
            }
        }

        void close() throws IOException {
            accepted.stream().close();
        }
    }
}
