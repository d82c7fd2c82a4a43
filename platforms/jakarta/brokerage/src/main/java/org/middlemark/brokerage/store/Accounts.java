package org.middlemark.brokerage.store;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.Collection;
import java.util.Optional;
import org.middlemark.brokerage.domain.Account;
import org.middlemark.brokerage.domain.Profile;
import org.middlemark.brokerage.domain.Registration;

/** Accounts and profiles. */
public interface Accounts {
    Optional<Account> find(String userId);

    /** Locks the account's row and reads it. */
    Optional<Account> lock(String userId);

    /** Locks the rows by account id, lowest first. */
    void lock(Collection<Long> accountIds);

    /** Counts the login when user and password are right; an operation of its own. */
    Optional<Account> login(String userId, String password, Instant now);

    /** Counts the logout; false without such a user. An operation of its own. */
    boolean logout(String userId);

    /** Writes profile and account, logged in once; nothing when the user id is taken. An operation of its own. */
    Optional<Account> register(Registration registration, Instant now);

    Optional<Profile> profile(String userId);

    /** Writes the profile, and the password unless it is empty; false without such a user. An operation of its own. */
    boolean update(Profile profile, String newPassword);

    /** Adds an amount, which may be negative, to the balance of an account that the transaction has locked. */
    void credit(long accountId, BigDecimal amount);
}
