package org.middlemark.remoting.domain;

import java.io.Serializable;

/** Where an order goes, or its bill. */
public record Address(String name, String street, String city, String region, String postalCode, String country)
        implements Serializable {
}
