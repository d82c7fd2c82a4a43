package org.middlemark.remoting.frames;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class FrameStreamTest {
    private static FrameStream reading(int... bytes) {
        byte[] content = new byte[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            content[i] = (byte) bytes[i];
        }
        return new FrameStream(new ByteArrayInputStream(content), new ByteArrayOutputStream(), () -> { });
    }

    @Test
    void aFrameIsItsLengthAndItsBytes() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        FrameStream stream = new FrameStream(new ByteArrayInputStream(new byte[0]), out, () -> { });
        stream.write(new byte[] {7, 8});
        assertArrayEquals(new byte[] {0, 0, 0, 2, 7, 8}, out.toByteArray());
    }

    @Test
    void framesFollowOneAnotherUntilTheEnd() throws IOException {
        FrameStream stream = reading(0, 0, 0, 1, 255, 0, 0, 0, 0);
        assertArrayEquals(new byte[] {-1}, stream.read().orElseThrow());
        assertArrayEquals(new byte[0], stream.read(Duration.ofSeconds(1)).orElseThrow());
        assertTrue(stream.read().isEmpty());
    }

    @Test
    void anEndInsideAFrameIsAFailure() {
        assertThrows(EOFException.class, () -> reading(0, 0).read());
        assertThrows(EOFException.class, () -> reading(0, 0, 0, 2, 1).read());
    }

    @Test
    void aLengthAbove4MiBIsTooLong() {
        assertThrows(FrameStream.TooLong.class, () -> reading(0, 64, 0, 1).read());
        assertThrows(FrameStream.TooLong.class, () -> reading(255, 255, 255, 255).read());
        assertEquals(0x400000, FrameStream.LONGEST);
    }

    @Test
    void aDeadlineIsOverdueUntilItIsTakenAway() {
        FrameStream stream = reading();
        assertFalse(stream.isOverdue(System.nanoTime()));
        stream.within(Duration.ofSeconds(1));
        assertFalse(stream.isOverdue(System.nanoTime()));
        assertTrue(stream.isOverdue(System.nanoTime() + Duration.ofSeconds(2).toNanos()));
        stream.withoutLimit();
        assertFalse(stream.isOverdue(System.nanoTime() + Duration.ofSeconds(2).toNanos()));
    }
}
