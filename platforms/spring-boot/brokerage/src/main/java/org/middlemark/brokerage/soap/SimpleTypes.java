package org.middlemark.brokerage.soap;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

/** Texts of the WSDL's simple types. The classes generated from it call this; null is an element that is left out. */
public final class SimpleTypes {

    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSSSSX").withZone(ZoneOffset.UTC);

    private SimpleTypes() {
    }

    public static Instant time(String text) {
        return Instant.parse(text.strip());
    }

    public static String text(Instant time) {
        return time == null ? null : TIME.format(time);
    }

    /** JAXB's own reading of a number beyond 32 bits would be another number where the schema allows only small ones. */
    public static Long wholeNumber(String text) {
        return Long.valueOf(text.strip());
    }

    public static String text(Long number) {
        return number == null ? null : number.toString();
    }
}
