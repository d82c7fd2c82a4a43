package org.middlemark.brokerage.store.jpa;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.middlemark.brokerage.domain.Account;
import org.middlemark.brokerage.domain.Profile;
import org.middlemark.brokerage.domain.Registration;
import org.middlemark.brokerage.store.Accounts;
import org.middlemark.database.Failures;
import org.middlemark.database.StoreFailure;

final class JpaAccounts implements Accounts {
    private static final String OF_USER = "SELECT a FROM AccountRow a WHERE a.userId = :userId";
    private static final String BY_ID = "SELECT a FROM AccountRow a WHERE a.accountId IN :ids ORDER BY a.accountId";
    private static final String LOG_IN = """
            UPDATE AccountRow a SET a.loginCount = a.loginCount + 1, a.lastLogin = :now WHERE a.userId = :userId
            AND EXISTS (SELECT p.userId FROM ProfileRow p WHERE p.userId = :userId AND p.password = :password)""";
    private static final String LOG_OUT =
            "UPDATE AccountRow a SET a.logoutCount = a.logoutCount + 1 WHERE a.userId = :userId";

    private final BrokerageEntities entities;

    JpaAccounts(BrokerageEntities entities) {
        this.entities = entities;
    }

    @Override
    public Optional<Account> find(String userId) {
        return entities.list(OF_USER, AccountRow.class, Map.of("userId", userId)).stream().findFirst()
                .map(AccountRow::account);
    }

    @Override
    public Optional<Account> lock(String userId) {
        return locked(userId).map(AccountRow::account);
    }

    @Override
    public void lock(Collection<Long> accountIds) {
        entities.lock(BY_ID, AccountRow.class, Map.of("ids", accountIds));
    }

    @Override
    public Optional<Account> login(String userId, String password, Instant now) {
        Map<String, Object> values = Map.of("now", now, "userId", userId, "password", password);
        return entities.inTransaction(
                () -> entities.change(LOG_IN, values) == 1 ? find(userId) : Optional.empty());
    }

    @Override
    public boolean logout(String userId) {
        return entities.inTransaction(() -> entities.change(LOG_OUT, Map.of("userId", userId)) == 1);
    }

    @Override
    public Optional<Account> register(Registration registration, Instant now) {
        try {
            return Optional.of(entities.inTransaction(() -> {
                entities.write(new ProfileRow(registration));
                return entities.write(new AccountRow(registration, now)).account();
            }));
        } catch (StoreFailure failure) {
            if (Failures.isDuplicate(failure)) {
                return Optional.empty();
            }
            throw failure;
        }
    }

    @Override
    public Optional<Profile> profile(String userId) {
        return entities.find(ProfileRow.class, userId).map(ProfileRow::profile);
    }

    @Override
    public boolean update(Profile profile, String newPassword) {
        return entities.inTransaction(() -> {
            Optional<ProfileRow> found = entities.findLocked(ProfileRow.class, profile.userId());
            found.ifPresent(row -> {
                row.write(profile);
                if (!newPassword.isEmpty()) {
                    row.setPassword(newPassword);
                }
            });
            entities.flush();
            return found.isPresent();
        });
    }

    @Override
    public void credit(long accountId, BigDecimal amount) {
        entities.find(AccountRow.class, accountId).orElseThrow().credit(amount);
    }

    private Optional<AccountRow> locked(String userId) {
        List<AccountRow> found = entities.lock(OF_USER, AccountRow.class, Map.of("userId", userId));
        return found.stream().findFirst();
    }
}
