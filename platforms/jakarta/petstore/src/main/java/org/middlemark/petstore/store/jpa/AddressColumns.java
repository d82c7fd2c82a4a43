package org.middlemark.petstore.store.jpa;

import jakarta.persistence.Column;
import jakarta.persistence.Embeddable;
import org.middlemark.petstore.domain.Address;

/** The columns of an address. */
@Embeddable
public class AddressColumns {
    @Column(name = "first_name")
    private String firstName;
    @Column(name = "last_name")
    private String lastName;
    @Column(name = "address_1")
    private String address1;
    @Column(name = "address_2")
    private String address2;
    private String city;
    private String state;
    private String zip;
    private String country;
    private String phone;

    protected AddressColumns() {
    }

    AddressColumns(Address address) {
        firstName = address.firstName();
        lastName = address.lastName();
        address1 = address.address1();
        address2 = address.address2();
        city = address.city();
        state = address.state();
        zip = address.zip();
        country = address.country();
        phone = address.phone();
    }

    Address address() {
        return new Address(firstName, lastName, address1, address2, city, state, zip, country, phone);
    }
}
