package org.middlemark.settings;

import java.util.Locale;

/** How the services reach the rows. {@link #word()} is the value of the setting. */
public enum DataAccess {
    JDBC, JPA;

    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
