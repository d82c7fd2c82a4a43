package org.middlemark.brokerage.messages;

import java.math.BigDecimal;
import java.util.List;
import org.middlemark.brokerage.domain.Profile;

/**
 * What the operations are asked, in SOAP and JSON: the components are the keys, in the order in which faults are told.
 */
public final class Requests {
    private Requests() {
    }

    public record Nothing() {
    }

    public record User(String userId) {
    }

    public record Login(String userId, String password) {
    }

    public record Registration(String userId, String password, String fullName, String address, String email,
            String creditCard, BigDecimal openBalance) {

        static Registration of(org.middlemark.brokerage.domain.Registration registration) {
            Profile profile = registration.profile();
            return new Registration(profile.userId(), registration.password(), profile.fullName(), profile.address(),
                    profile.email(), profile.creditCard(), registration.openBalance());
        }

        /** The registration as the services take it. */
        public org.middlemark.brokerage.domain.Registration registration() {
            return new org.middlemark.brokerage.domain.Registration(
                    new Profile(userId, fullName, address, email, creditCard), password, openBalance);
        }
    }

    public record ProfileUpdate(String userId, String fullName, String address, String email, String creditCard,
            String password) {

        static ProfileUpdate of(Profile profile, String newPassword) {
            return new ProfileUpdate(profile.userId(), profile.fullName(), profile.address(), profile.email(),
                    profile.creditCard(), newPassword);
        }

        /** The profile that is to be written. */
        public Profile profile() {
            return new Profile(userId, fullName, address, email, creditCard);
        }
    }

    public record UserHolding(String userId, long holdingId) {
    }

    public record Newest(String userId, long limit) {
    }

    public record Symbol(String symbol) {
    }

    public record Symbols(List<String> symbols) {
    }

    public record Buy(String userId, String symbol, long quantity) {
    }
}
