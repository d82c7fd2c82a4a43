package org.middlemark.spice.settings;

import java.util.Locale;

/** Whether there is a second listener, over TLS. {@link #word()} is the value of the setting. */
public enum Encryption {
    NONE, TLS;

    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
