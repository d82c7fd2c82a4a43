package org.middlemark.spice.contents;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Named;
import java.time.LocalDate;
import java.time.ZoneOffset;

/** The day, for the templates. */
@Named
@ApplicationScoped
public class Today {
    /** The day in UTC, as {@code 2026-01-31}. */
    public String getDate() {
        return LocalDate.now(ZoneOffset.UTC).toString();
    }
}
