package org.middlemark.petstore.store.jdbc;

import java.util.Optional;
import org.middlemark.database.Statements;
import org.middlemark.petstore.domain.Billing;
import org.middlemark.petstore.domain.Customer;
import org.middlemark.petstore.store.Customers;

final class JdbcCustomers implements Customers {
    private static final String USER = "SELECT user_id, password, " + Addresses.columns("")
            + " FROM users WHERE user_id = ?";
    private static final String BILLING = "SELECT card_type, card_number, card_expiration, " + Addresses.columns("")
            + " FROM billing WHERE user_id = ?";

    private final Statements statements;

    JdbcCustomers(Statements statements) {
        this.statements = statements;
    }

    private record Account(String password, Customer customer) {
    }

    @Override
    public Optional<Customer> find(String userId, String password) {
        return statements.row(USER, row -> new Account(row.getString("password"),
                new Customer(row.getString("user_id"), Addresses.read(row, ""))), userId)
                .filter(account -> account.password().equals(password)).map(Account::customer);
    }

    @Override
    public Billing billing(String userId) {
        return statements.row(BILLING, row -> new Billing(Addresses.card(row), Addresses.read(row, "")), userId)
                .orElseThrow();
    }
}
