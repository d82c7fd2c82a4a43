package org.middlemark.brokerage.settings;

import java.util.Locale;

/** How the web tier calls the services. {@link #word()} is the value of the setting. */
public enum Binding {
    LOCAL, SOAP, JSON, GRPC;

    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
