package org.middlemark.petstore.store.jdbc;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Collectors;
import org.middlemark.petstore.domain.Address;
import org.middlemark.petstore.domain.Card;

/** The columns of addresses and cards; those of an order's two addresses have a prefix. */
final class Addresses {
    private static final List<String> COLUMNS = List.of("first_name", "last_name", "address_1", "address_2", "city",
            "state", "zip", "country", "phone");

    private Addresses() {
    }

    /** The names of the columns, as a statement lists them. */
    static String columns(String prefix) {
        return COLUMNS.stream().map(column -> prefix + column).collect(Collectors.joining(", "));
    }

    /** The values of the columns, in their order. */
    static List<String> values(Address address) {
        return List.of(address.firstName(), address.lastName(), address.address1(), address.address2(),
                address.city(), address.state(), address.zip(), address.country(), address.phone());
    }

    static Address read(ResultSet row, String prefix) throws SQLException {
        return new Address(row.getString(prefix + "first_name"), row.getString(prefix + "last_name"),
                row.getString(prefix + "address_1"), row.getString(prefix + "address_2"),
                row.getString(prefix + "city"), row.getString(prefix + "state"), row.getString(prefix + "zip"),
                row.getString(prefix + "country"), row.getString(prefix + "phone"));
    }

    static Card card(ResultSet row) throws SQLException {
        return new Card(row.getString("card_type"), row.getString("card_number"), row.getString("card_expiration"));
    }
}
