package org.middlemark.brokerage.accounts;

import java.math.BigDecimal;
import org.middlemark.brokerage.database.RepeatedOnConflict;
import org.middlemark.brokerage.database.Times;
import org.middlemark.brokerage.errors.ErrorCode;
import org.middlemark.brokerage.errors.Refusal;
import org.middlemark.brokerage.settings.WithDatabase;
import org.springframework.stereotype.Service;

/** Registering, logging in and out, accounts and profiles. */
@Service
@WithDatabase
public class AccountService {

    private final AccountRepository accounts;
    private final ProfileRepository profiles;

    AccountService(AccountRepository accounts, ProfileRepository profiles) {
        this.accounts = accounts;
        this.profiles = profiles;
    }

    @RepeatedOnConflict
    public Account logIn(String userId, String password) {
        return accounts.logIn(userId, password, Times.now())
                .orElseThrow(() -> new Refusal(ErrorCode.AUTHENTICATION_FAILED, "Unknown user or wrong password."));
    }

    @RepeatedOnConflict
    public void logOut(String userId) {
        if (!accounts.logOut(userId)) {
            throw Refusal.unknownUser(userId);
        }
    }

    @RepeatedOnConflict
    public Account register(Profile profile, String password, BigDecimal openBalance) {
        return accounts.register(profile, password, openBalance, Times.now())
                .orElseThrow(() -> new Refusal(ErrorCode.USER_EXISTS, "The user id " + profile.userId() + " is taken."));
    }

    @RepeatedOnConflict
    public Account account(String userId) {
        return accounts.find(userId).orElseThrow(() -> Refusal.unknownUser(userId));
    }

    @RepeatedOnConflict
    public Profile profile(String userId) {
        return profiles.find(userId).orElseThrow(() -> Refusal.unknownUser(userId));
    }

    @RepeatedOnConflict
    public Profile updateProfile(Profile profile, String password) {
        if (!profiles.update(profile, password)) {
            throw Refusal.unknownUser(profile.userId());
        }
        return profile;
    }
}
