package org.middlemark.remoting.settings;

import java.util.Locale;

/** A tier that a process carries. {@link #word()} is the value of the setting. */
public enum Role {
    CLIENT, SERVICE;

    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
