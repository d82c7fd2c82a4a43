package org.middlemark.brokerage.accounts;

import java.util.Optional;
import org.middlemark.brokerage.settings.WithDatabase;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** The rows of {@code profiles}. */
@Repository
@WithDatabase
class ProfileRepository {

    private final JdbcClient database;

    ProfileRepository(JdbcClient database) {
        this.database = database;
    }

    Optional<Profile> find(String userId) {
        return database.sql("SELECT user_id, full_name, address, email, credit_card FROM profiles WHERE user_id = :userId")
                .param("userId", userId)
                .query(Profile.class)
                .optional();
    }

    /** Writes a profile, and the password unless it is empty; returns false without such a user. */
    boolean update(Profile profile, String password) {
        return database.sql("""
                UPDATE profiles SET full_name = :fullName, address = :address, email = :email, credit_card = :creditCard,
                    password = coalesce(nullif(:password, ''), password)
                WHERE user_id = :userId""")
                .param("userId", profile.userId())
                .param("password", password)
                .param("fullName", profile.fullName())
                .param("address", profile.address())
                .param("email", profile.email())
                .param("creditCard", profile.creditCard())
                .update() == 1;
    }
}
