package org.middlemark.remoting.settings;

import java.util.Locale;

/** Whether the client keeps its connection, or makes one for each call. {@link #word()} is the value of the setting. */
public enum Connections {
    SHARED, UNSHARED;

    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
