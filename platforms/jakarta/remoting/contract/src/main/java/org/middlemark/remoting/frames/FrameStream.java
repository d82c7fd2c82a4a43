package org.middlemark.remoting.frames;

import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;

/**
 * A connection that carries frames: each its length as four bytes, the highest first, and so many bytes. One thread at
 * a time uses it; a {@link Watch} closes it when a deadline has passed.
 */
public final class FrameStream implements Closeable {
    /** The longest frame, in bytes. */
    public static final int LONGEST = 4 << 20;

    private static final int BUFFER = 64 * 1024;
    private static final int LENGTH_BYTES = 4;
    private static final int BYTE_BITS = 8;

    private final DataInputStream in;
    private final OutputStream out;
    private final Closeable connection;
    /** When the watch closes the connection, as {@link System#nanoTime}; 0 without a deadline. */
    private volatile long deadline;

    /** A connection with its two directions. {@code connection} closes both, from any thread. */
    public FrameStream(InputStream in, OutputStream out, Closeable connection) {
        this.in = new DataInputStream(new BufferedInputStream(in, BUFFER));
        this.out = out;
        this.connection = connection;
    }

    /** A frame that is longer than the longest one. Where the next one begins is not known. */
    public static class TooLong extends IOException {
        TooLong(int length) {
            super("a frame of " + Integer.toUnsignedString(length) + " bytes");
        }
    }

    /** Sets the time by which the next bytes must have come and gone. */
    public void within(Duration limit) {
        long end = System.nanoTime() + limit.toNanos();
        deadline = end == 0 ? 1 : end;
    }

    /** Ends the deadline. */
    public void withoutLimit() {
        deadline = 0;
    }

    boolean isOverdue(long now) {
        long end = deadline;
        return end != 0 && now - end > 0;
    }

    /** The next frame; nothing when the other side has closed the connection before one. */
    public Optional<byte[]> read() throws IOException {
        int first = in.read();
        return first < 0 ? Optional.empty() : Optional.of(rest(first));
    }

    /** The same, for a frame that has to be complete in time after its first byte. */
    public Optional<byte[]> read(Duration limit) throws IOException {
        int first = in.read();
        if (first < 0) {
            return Optional.empty();
        }
        within(limit);
        byte[] frame = rest(first);
        withoutLimit();
        return Optional.of(frame);
    }

    private byte[] rest(int first) throws IOException {
        int length = first;
        for (int i = 1; i < LENGTH_BYTES; i++) {
            length = length << BYTE_BITS | in.readUnsignedByte();
        }
        if (length < 0 || length > LONGEST) {
            throw new TooLong(length);
        }
        byte[] frame = in.readNBytes(length);
        if (frame.length < length) {
            throw new EOFException("a frame ends before its length");
        }
        return frame;
    }

    /** Sends a frame at once. */
    public void write(byte[] frame) throws IOException {
        out.write(ByteBuffer.allocate(LENGTH_BYTES + frame.length).putInt(frame.length).put(frame).array());
        out.flush();
    }

    /** Reads without a use until the other side closes or the deadline has passed, so that the last answer arrives. */
    public void discard() throws IOException {
        in.transferTo(OutputStream.nullOutputStream());
    }

    @Override
    public void close() throws IOException {
        connection.close();
    }
}
