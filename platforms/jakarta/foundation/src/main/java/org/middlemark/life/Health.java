package org.middlemark.life;

import java.util.Optional;

/** Whether the process can do its work; each application has one bean of this type. */
public interface Health {
    /** Why it cannot, in one line; nothing when it can. It may take {@code seconds}. */
    Optional<String> trouble(int seconds);
}
