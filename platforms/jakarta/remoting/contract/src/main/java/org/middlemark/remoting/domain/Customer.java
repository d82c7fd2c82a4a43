package org.middlemark.remoting.domain;

import java.io.Serializable;

/** A customer. A region that is missing in the database is the empty text. */
public record Customer(String customerId, String companyName, String contactName, String contactTitle, String address,
        String city, String region, String postalCode, String country, String phone, String fax)
        implements Serializable {
}
