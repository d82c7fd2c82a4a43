package org.middlemark.remoting.domain;

import java.util.Locale;

/** The credentials that the client shows and the service asks for. {@link #word()} is the value of the setting. */
public enum Authentication {
    NONE, PASSWORD, TOKEN, CERTIFICATE;

    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
