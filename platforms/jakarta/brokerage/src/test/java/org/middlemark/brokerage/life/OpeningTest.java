package org.middlemark.brokerage.life;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class OpeningTest {
    private static final Duration LONG = Duration.ofHours(1);

    private final AtomicInteger taken = new AtomicInteger();
    private final AtomicInteger givenBack = new AtomicInteger();
    private final AtomicInteger aborted = new AtomicInteger();

    @Test
    void aPoolThatHasAllLosesNoneToIt() throws SQLException {
        assertFalse(new Opening(this::connection, () -> OptionalInt.of(5), 5, LONG).fill());
        assertEquals(0, taken.get());
    }

    @Test
    void onlyAsManyAreTakenAsMakeThePoolOpenWhatIsMissing() throws SQLException {
        // Three are open and two of them are free, so the first two that are taken open nothing.
        Opening opening = new Opening(this::connection, () -> OptionalInt.of(Math.max(3, 1 + taken.get())), 5, LONG);
        assertFalse(opening.fill());
        assertEquals(4, taken.get());
        assertEquals(4, givenBack.get());
    }

    @Test
    void aPoolThatDoesNotSayWhatItHasIsTakenWhole() throws SQLException {
        assertFalse(new Opening(this::connection, OptionalInt::empty, 5, LONG).fill());
        assertEquals(5, givenBack.get());
    }

    @Test
    void nobodyWaitsLongerThanAllowed() throws SQLException {
        assertTrue(new Opening(this::connection, () -> OptionalInt.of(1), 5, Duration.ZERO).fill());
        assertEquals(0, taken.get());
    }

    @Test
    void whatWasTakenIsGivenBackWhenTheNextCannotBeHad() {
        Opening opening = new Opening(() -> {
            if (taken.get() == 3) {
                throw new SQLException("no more");
            }
            return connection();
        }, OptionalInt::empty, 5, LONG);
        assertEquals("no more", assertThrows(SQLException.class, opening::fill).getMessage());
        assertEquals(3, givenBack.get());
    }

    @Test
    void oneThatCannotBeClosedKeepsNoOther() throws SQLException {
        Opening opening = new Opening(() -> connection(true, taken.incrementAndGet() != 2), OptionalInt::empty, 3,
                LONG);
        assertTrue(opening.fill());
        assertEquals(2, givenBack.get());
    }

    @Test
    void oneThatIsLostMeanwhileIsNotGivenToAnybodyElse() throws SQLException {
        Opening opening = new Opening(() -> connection(taken.incrementAndGet() != 2, true), OptionalInt::empty, 3,
                LONG);
        assertTrue(opening.fill(), "some are still missing");
        assertEquals(2, aborted.get(), "it and those that nobody has asked after it");
        assertEquals(3, givenBack.get());
    }

    private Connection connection() {
        taken.incrementAndGet();
        return connection(true, true);
    }

    private Connection connection(boolean valid, boolean closes) {
        return (Connection) Proxy.newProxyInstance(Connection.class.getClassLoader(), new Class<?>[] {Connection.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "isValid" -> valid;
                    case "abort" -> aborted.incrementAndGet();
                    default -> {
                        if (!closes) {
                            throw new SQLException("lost meanwhile");
                        }
                        yield givenBack.incrementAndGet();
                    }
                });
    }
}
