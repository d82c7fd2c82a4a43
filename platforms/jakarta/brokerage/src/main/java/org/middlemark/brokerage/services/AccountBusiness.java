package org.middlemark.brokerage.services;

import jakarta.ejb.Stateless;
import jakarta.ejb.TransactionAttribute;
import jakarta.ejb.TransactionAttributeType;
import jakarta.inject.Inject;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.middlemark.brokerage.domain.Account;
import org.middlemark.brokerage.domain.Codes;
import org.middlemark.brokerage.domain.Profile;
import org.middlemark.brokerage.domain.Registration;
import org.middlemark.brokerage.store.Store;
import org.middlemark.refusals.Code;
import org.middlemark.refusals.Refusal;

/** Accounts and profiles. Each operation is one of the store, which begins a transaction where it needs one. */
@Stateless
@TransactionAttribute(TransactionAttributeType.SUPPORTS)
public class AccountBusiness {
    @Inject
    private Store store;

    public Account login(String userId, String password) {
        return store.accounts().login(userId, password, now())
                .orElseThrow(() -> new Refusal(Code.AUTHENTICATION_FAILED, "Unknown user or wrong password."));
    }

    public void logout(String userId) {
        if (!store.accounts().logout(userId)) {
            throw unknown(userId);
        }
    }

    public Account register(Registration registration) {
        String userId = registration.profile().userId();
        return store.accounts().register(registration, now())
                .orElseThrow(() -> new Refusal(Codes.USER_EXISTS, "The user id " + userId + " is taken."));
    }

    public Account get(String userId) {
        return store.accounts().find(userId).orElseThrow(() -> unknown(userId));
    }

    public Profile profile(String userId) {
        return store.accounts().profile(userId).orElseThrow(() -> unknown(userId));
    }

    public Profile update(Profile profile, String newPassword) {
        if (!store.accounts().update(profile, newPassword)) {
            throw unknown(profile.userId());
        }
        return profile;
    }

    static Refusal unknown(String userId) {
        return new Refusal(Codes.UNKNOWN_USER, "There is no user " + userId + ".");
    }

    /** As exact as the database keeps it. */
    static Instant now() {
        return Instant.now().truncatedTo(ChronoUnit.MICROS);
    }
}
