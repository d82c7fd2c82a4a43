package org.middlemark.remoting.client;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * The records of a loop that have not been sent yet, 24 bytes each: when a call began, how long it took, its outcome
 * in one byte, and the id of what it stored. One thread adds them and another one takes them.
 */
final class Records {
    private static final int LENGTH = 24;
    private static final int FIRST_CAPACITY = 1024 * LENGTH;
    private static final int OUTCOME_BITS = 8;
    /** Records are sent at the latest 10 ms after a call; the rest is for sending them. */
    private static final long TOGETHER = TimeUnit.MILLISECONDS.toNanos(8);

    private ByteBuffer waiting = ByteBuffer.allocate(FIRST_CAPACITY);
    private boolean isEnded;

    /** Adds the record of a call; both times are nanoseconds, and the id is 0 where nothing was stored. */
    synchronized void add(long began, long took, int outcome, long id) {
        if (waiting.remaining() < LENGTH) {
            waiting = ByteBuffer.allocate(2 * waiting.capacity()).put(waiting.flip());
        }
        boolean isFirst = waiting.position() == 0;
        waiting.putLong(began).putLong(took << OUTCOME_BITS | outcome).putLong(id);
        if (isFirst) {
            notifyAll();
        }
    }

    /** Says that no record follows. */
    synchronized void end() {
        isEnded = true;
        notifyAll();
    }

    /** The next records together; nothing when all have been taken. */
    synchronized Optional<byte[]> next() throws InterruptedException {
        while (waiting.position() == 0 && !isEnded) {
            wait();
        }
        long end = System.nanoTime() + TOGETHER;
        long left = TOGETHER;
        while (left > 0 && !isEnded) {
            TimeUnit.NANOSECONDS.timedWait(this, left);
            left = end - System.nanoTime();
        }
        if (waiting.position() == 0) {
            return Optional.empty();
        }
        byte[] together = Arrays.copyOf(waiting.array(), waiting.position());
        waiting.clear();
        return Optional.of(together);
    }
}
