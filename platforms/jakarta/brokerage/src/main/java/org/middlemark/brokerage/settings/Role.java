package org.middlemark.brokerage.settings;

import java.util.Locale;

/** What a process carries. {@link #word()} is the value of the setting. */
public enum Role {
    WEB, SERVICES, PROCESSOR;

    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
