package org.middlemark.brokerage.accounts;

import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Optional;
import org.middlemark.brokerage.database.Times;
import org.middlemark.brokerage.settings.WithDatabase;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** The rows of {@code accounts}. */
@Repository
@WithDatabase
public class AccountRepository {

    private static final String COLUMNS = """
            accounts.account_id, accounts.user_id, accounts.creation_time, accounts.open_balance, accounts.balance,
            accounts.login_count, accounts.logout_count, accounts.last_login""";

    private final JdbcClient database;

    AccountRepository(JdbcClient database) {
        this.database = database;
    }

    Optional<Account> find(String userId) {
        return database.sql("SELECT " + COLUMNS + " FROM accounts WHERE user_id = :userId")
                .param("userId", userId)
                .query(AccountRepository::account)
                .optional();
    }

    public boolean exists(String userId) {
        return database.sql("SELECT account_id FROM accounts WHERE user_id = :userId")
                .param("userId", userId)
                .query(Long.class)
                .optional()
                .isPresent();
    }

    /** Counts a login when the password is right. */
    Optional<Account> logIn(String userId, String password, Instant now) {
        return database.sql("""
                UPDATE accounts SET login_count = login_count + 1, last_login = :now FROM profiles
                WHERE accounts.user_id = :userId AND profiles.user_id = accounts.user_id AND profiles.password = :password
                RETURNING\s""" + COLUMNS)
                .param("userId", userId)
                .param("password", password)
                .param("now", Times.parameter(now))
                .query(AccountRepository::account)
                .optional();
    }

    /** Counts a logout; returns false without such a user. */
    boolean logOut(String userId) {
        return database.sql("UPDATE accounts SET logout_count = logout_count + 1 WHERE user_id = :userId")
                .param("userId", userId)
                .update() == 1;
    }

    /**
     * Inserts profile and account, logged in once; nothing when the user id is taken. Of two registrations at once for one user id the
     * second waits for the first, and then inserts nothing.
     */
    Optional<Account> register(Profile profile, String password, BigDecimal openBalance, Instant now) {
        return database.sql("""
                WITH profile AS (
                    INSERT INTO profiles (user_id, password, full_name, address, email, credit_card)
                    VALUES (:userId, :password, :fullName, :address, :email, :creditCard) ON CONFLICT (user_id) DO NOTHING
                    RETURNING user_id)
                INSERT INTO accounts (user_id, creation_time, open_balance, balance, login_count, logout_count, last_login)
                SELECT user_id, :now, :openBalance, :openBalance, 1, 0, :now FROM profile
                RETURNING\s""" + COLUMNS)
                .param("userId", profile.userId())
                .param("password", password)
                .param("fullName", profile.fullName())
                .param("address", profile.address())
                .param("email", profile.email())
                .param("creditCard", profile.creditCard())
                .param("openBalance", openBalance)
                .param("now", Times.parameter(now))
                .query(AccountRepository::account)
                .optional();
    }

    /** Locks the account of a user, within a transaction. */
    public Optional<LockedAccount> lock(String userId) {
        return database.sql("SELECT account_id, balance FROM accounts WHERE user_id = :userId FOR NO KEY UPDATE")
                .param("userId", userId)
                .query((row, number) -> new LockedAccount(row.getLong("account_id"), row.getBigDecimal("balance")))
                .optional();
    }

    public void setBalance(long accountId, BigDecimal balance) {
        database.sql("UPDATE accounts SET balance = :balance WHERE account_id = :accountId")
                .param("balance", balance)
                .param("accountId", accountId)
                .update();
    }

    private static Account account(ResultSet row, int number) throws SQLException {
        return new Account(row.getLong("account_id"), row.getString("user_id"), Times.column(row, "creation_time"),
                row.getBigDecimal("open_balance"), row.getBigDecimal("balance"), row.getLong("login_count"), row.getLong("logout_count"),
                Times.column(row, "last_login"));
    }
}
