package org.middlemark.brokerage.web;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.middlemark.brokerage.settings.Settings;

class SessionsTest {
    private static final Settings FIVE_SECONDS = Settings.read(
            Map.of("MM_DATABASE_URL", "postgresql://ada:secret@127.0.0.1:5432/brokerage", "MM_SESSION_SECONDS", "5"));

    private final AtomicLong clock = new AtomicLong();
    private final Sessions sessions = new Sessions(FIVE_SECONDS, clock::get);

    @Test
    void everySessionHasAnIdOfItsOwn() {
        String first = sessions.begin("ada");
        String second = sessions.begin("ada");
        assertNotEquals(first, second);
        assertTrue(first.length() >= 32, "24 random bytes as text");
        sessions.end(first);
        assertEquals(Optional.empty(), sessions.user(first));
        assertEquals(Optional.of("ada"), sessions.user(second));
    }

    @Test
    void everyRequestProlongsASession() {
        String id = sessions.begin("ada");
        pass(Duration.ofMillis(4999));
        assertEquals(Optional.of("ada"), sessions.user(id));
        pass(Duration.ofMillis(4999));
        assertEquals(Optional.of("ada"), sessions.user(id));
    }

    @Test
    void anIdleSessionEndsAndIsCountedNoLonger() {
        String id = sessions.begin("ada");
        assertEquals(1, sessions.count());
        pass(Duration.ofSeconds(5));
        assertEquals(0, sessions.count());
        assertEquals(Optional.empty(), sessions.user(id));
    }

    @Test
    void endedSessionsAreForgottenOncePerIdleTime() {
        sessions.begin("ada");
        pass(Duration.ofSeconds(4));
        sessions.begin("bert");
        pass(Duration.ofSeconds(2));
        sessions.begin("carl");
        assertEquals(2, sessions.kept());
        pass(Duration.ofMillis(4999));
        sessions.begin("dora");
        assertEquals(3, sessions.kept());
        assertEquals(2, sessions.count());
        pass(Duration.ofMillis(1));
        sessions.begin("emil");
        assertEquals(2, sessions.kept());
    }

    private void pass(Duration time) {
        clock.addAndGet(time.toNanos());
    }
}
