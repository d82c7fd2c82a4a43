package org.middlemark.brokerage.store.jdbc;

import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Collection;
import java.util.Optional;
import org.middlemark.brokerage.domain.Account;
import org.middlemark.brokerage.domain.Profile;
import org.middlemark.brokerage.domain.Registration;
import org.middlemark.brokerage.store.Accounts;
import org.middlemark.database.Statements;

final class JdbcAccounts implements Accounts {
    private static final String COLUMNS = """
            a.account_id, a.user_id, a.creation_time, a.open_balance, a.balance, a.login_count, a.logout_count,
            a.last_login""";
    private static final String FIND = "SELECT " + COLUMNS + " FROM accounts a WHERE a.user_id = ?";
    private static final String LOCK = FIND + " FOR NO KEY UPDATE";
    private static final String LOCK_ALL =
            "SELECT account_id FROM accounts WHERE account_id = ANY (?) ORDER BY account_id FOR NO KEY UPDATE";
    private static final String LOG_IN = """
            UPDATE accounts a SET login_count = a.login_count + 1, last_login = ?
            FROM profiles p WHERE p.user_id = a.user_id AND a.user_id = ? AND p.password = ? RETURNING\s""" + COLUMNS;
    private static final String LOG_OUT = "UPDATE accounts SET logout_count = logout_count + 1 WHERE user_id = ?";
    /** Of two registrations at once for one user id the second waits for the first, and then inserts nothing. */
    private static final String REGISTER = """
            WITH profile AS (
                INSERT INTO profiles (user_id, password, full_name, address, email, credit_card)
                VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING user_id)
            INSERT INTO accounts AS a
                (user_id, creation_time, open_balance, balance, login_count, logout_count, last_login)
            SELECT user_id, ?, ?, ?, 1, 0, ? FROM profile RETURNING\s""" + COLUMNS;
    private static final String PROFILE =
            "SELECT user_id, full_name, address, email, credit_card FROM profiles WHERE user_id = ?";
    private static final String UPDATE_PROFILE = """
            UPDATE profiles SET full_name = ?, address = ?, email = ?, credit_card = ?,
                password = coalesce(nullif(?, ''), password)
            WHERE user_id = ?""";
    private static final String CREDIT = "UPDATE accounts SET balance = balance + ? WHERE account_id = ?";

    private final Statements statements;

    JdbcAccounts(Statements statements) {
        this.statements = statements;
    }

    @Override
    public Optional<Account> find(String userId) {
        return statements.row(FIND, JdbcAccounts::account, userId);
    }

    @Override
    public Optional<Account> lock(String userId) {
        return statements.row(LOCK, JdbcAccounts::account, userId);
    }

    @Override
    public void lock(Collection<Long> accountIds) {
        statements.rows(LOCK_ALL, row -> row.getLong(1), accountIds);
    }

    @Override
    public Optional<Account> login(String userId, String password, Instant now) {
        return statements.row(LOG_IN, JdbcAccounts::account, now, userId, password);
    }

    @Override
    public boolean logout(String userId) {
        return statements.change(LOG_OUT, userId) == 1;
    }

    @Override
    public Optional<Account> register(Registration registration, Instant now) {
        Profile profile = registration.profile();
        BigDecimal balance = registration.openBalance();
        return statements.row(REGISTER, JdbcAccounts::account, profile.userId(), registration.password(),
                profile.fullName(), profile.address(), profile.email(), profile.creditCard(), now, balance, balance,
                now);
    }

    @Override
    public Optional<Profile> profile(String userId) {
        return statements.row(PROFILE, row -> new Profile(row.getString("user_id"), row.getString("full_name"),
                row.getString("address"), row.getString("email"), row.getString("credit_card")), userId);
    }

    @Override
    public boolean update(Profile profile, String newPassword) {
        return statements.change(UPDATE_PROFILE, profile.fullName(), profile.address(), profile.email(),
                profile.creditCard(), newPassword, profile.userId()) == 1;
    }

    @Override
    public void credit(long accountId, BigDecimal amount) {
        statements.change(CREDIT, amount, accountId);
    }

    private static Account account(ResultSet row) throws SQLException {
        return new Account(row.getLong("account_id"), row.getString("user_id"),
                Statements.instant(row, "creation_time"), row.getBigDecimal("open_balance"),
                row.getBigDecimal("balance"), row.getLong("login_count"), row.getLong("logout_count"),
                Statements.instant(row, "last_login"));
    }
}
