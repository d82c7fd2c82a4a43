package org.middlemark.brokerage.web;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.middlemark.brokerage.settings.Settings;

/**
 * Who is logged in, in this process. The container's own sessions end some time after their idle time, when it looks;
 * these end on the second, as the specification wants and as its statistics count them.
 */
@ApplicationScoped
public class Sessions {
    private static final int BYTES = 24;

    private final SecureRandom random = new SecureRandom();
    private final Map<String, Session> sessions = new ConcurrentHashMap<>();
    private final Settings settings;
    private final LongSupplier nanoTime;
    private long swept;

    private record Session(String userId, long lastRequest) {
    }

    /** For the container's proxy. */
    protected Sessions() {
        this(null);
    }

    @Inject
    public Sessions(Settings settings) {
        this(settings, System::nanoTime);
    }

    Sessions(Settings settings, LongSupplier nanoTime) {
        this.settings = settings;
        this.nanoTime = nanoTime;
        this.swept = nanoTime.getAsLong();
    }

    /** Begins a session and returns its id. */
    String begin(String userId) {
        sweep();
        byte[] bytes = new byte[BYTES];
        random.nextBytes(bytes);
        String id = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
        sessions.put(id, new Session(userId, nanoTime.getAsLong()));
        return id;
    }

    /** The user of a session, which this request prolongs; nothing when it has ended. */
    Optional<String> user(String id) {
        Session session = sessions.computeIfPresent(id,
                (same, found) -> hasEnded(found) ? null : new Session(found.userId(), nanoTime.getAsLong()));
        return Optional.ofNullable(session).map(Session::userId);
    }

    void end(String id) {
        sessions.remove(id);
    }

    /** How many have not ended. */
    int count() {
        return (int) sessions.values().stream().filter(session -> !hasEnded(session)).count();
    }

    /** How many are kept, with those that have ended and are not forgotten yet. */
    int kept() {
        return sessions.size();
    }

    /** Forgets ended sessions once per idle time. A login pays for it: only logins need more memory. */
    private void sweep() {
        if (isDue()) {
            sessions.values().removeIf(this::hasEnded);
        }
    }

    private synchronized boolean isDue() {
        long now = nanoTime.getAsLong();
        if (now - swept < idleNanos()) {
            return false;
        }
        swept = now;
        return true;
    }

    private boolean hasEnded(Session session) {
        return nanoTime.getAsLong() - session.lastRequest() >= idleNanos();
    }

    private long idleNanos() {
        return Duration.ofSeconds(settings.sessionSeconds()).toNanos();
    }
}
