package org.middlemark.remoting.client.proxies;

import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import org.middlemark.refusals.Refusal;
import org.middlemark.remoting.client.proxies.Connector.Connected;
import org.middlemark.remoting.frames.FrameStream;
import org.middlemark.remoting.frames.Watch;

/** Sends one frame and waits for one frame, over a connection that is kept. */
final class FrameConnection {
    /** How long a call waits for its answer. */
    static final Duration LONGEST_ANSWER = Duration.ofSeconds(10);

    private final Connector connector;
    private final Watch watch;
    private Connected connected;

    FrameConnection(Connector connector, Watch watch) {
        this.connector = connector;
        this.watch = watch;
    }

    /** The frame that answers a frame. */
    byte[] exchange(byte[] frame) {
        if (frame.length > FrameStream.LONGEST) {
            throw Refusal.invalid("The message is longer than 4 MiB.");
        }
        try {
            FrameStream stream = stream();
            stream.within(LONGEST_ANSWER);
            stream.write(frame);
            byte[] answer = stream.read().orElseThrow(() -> new EOFException("the service has closed the connection"));
            stream.withoutLimit();
            return answer;
        } catch (IOException failure) {
            disconnect();
            throw new UncheckedIOException(failure);
        }
    }

    /** A connection that the service has closed is made anew before anything is sent on it. */
    private FrameStream stream() throws IOException {
        if (connected != null && !isQuiet(connected.channel())) {
            disconnect();
        }
        if (connected == null) {
            connected = connector.connect();
            watch.add(connected.stream());
        }
        return connected.stream();
    }

    /** Whether nothing has come between two calls: neither an end nor an unexpected byte. */
    private static boolean isQuiet(SocketChannel channel) {
        try {
            channel.configureBlocking(false);
            int count = channel.read(ByteBuffer.allocate(1));
            channel.configureBlocking(true);
            return count == 0;
        } catch (IOException closed) {
            return false;
        }
    }

    void disconnect() {
        if (connected == null) {
            return;
        }
        watch.remove(connected.stream());
        try {
            connected.stream().close();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        } finally {
            connected = null;
        }
    }
}
