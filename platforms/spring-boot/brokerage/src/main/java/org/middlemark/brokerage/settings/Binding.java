package org.middlemark.brokerage.settings;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** How the web tier calls the services. */
public enum Binding {
    LOCAL,
    SOAP,
    JSON;

    String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    static List<String> words() {
        return Arrays.stream(values()).map(Binding::word).toList();
    }
}
