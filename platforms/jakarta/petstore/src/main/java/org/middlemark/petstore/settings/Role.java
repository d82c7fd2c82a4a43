package org.middlemark.petstore.settings;

import java.util.Locale;

/** What a process carries. {@link #word()} is the value of the setting. */
public enum Role {
    WEB, ORDER_SERVICE;

    public String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
