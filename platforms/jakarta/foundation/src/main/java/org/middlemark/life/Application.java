package org.middlemark.life;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What an application says of itself; each has one bean of this type. */
public interface Application {
    /** What is asked of a process and not of a tier. */
    Set<String> OF_EVERY_PROCESS = Set.of("/health", "/about");

    /** The name of the specification. */
    String specification();

    /** The words of the roles that this process carries now. */
    Collection<String> roles();

    /** Every setting by its name as {@code /about} shows it; one that is not in effect has the empty text. */
    Map<String, String> settings();

    /** What the application sets other than by default, as far as it is in effect in this process. */
    List<NotDefault> notDefault();

    /** Whether this process carries the tier that answers at a path. */
    boolean carries(String path);
}
