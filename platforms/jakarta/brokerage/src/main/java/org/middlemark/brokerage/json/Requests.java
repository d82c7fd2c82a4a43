package org.middlemark.brokerage.json;

import java.math.BigDecimal;
import java.util.List;
import org.middlemark.brokerage.domain.Limits;
import org.middlemark.brokerage.domain.Profile;
import org.middlemark.values.Money;

/** What the operations are asked; the components are the keys of the JSON objects. */
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
            String creditCard, String openBalance) {

        static Registration of(org.middlemark.brokerage.domain.Registration registration) {
            Profile profile = registration.profile();
            return new Registration(profile.userId(), registration.password(), profile.fullName(), profile.address(),
                    profile.email(), profile.creditCard(), Money.text(registration.openBalance()));
        }

        org.middlemark.brokerage.domain.Registration registration() {
            BigDecimal amount = Money.sent(openBalance).orElseThrow(Limits::amount);
            return new org.middlemark.brokerage.domain.Registration(
                    new Profile(userId, fullName, address, email, creditCard), password, amount);
        }
    }

    public record ProfileUpdate(String userId, String fullName, String address, String email, String creditCard,
            String password) {

        static ProfileUpdate of(Profile profile, String newPassword) {
            return new ProfileUpdate(profile.userId(), profile.fullName(), profile.address(), profile.email(),
                    profile.creditCard(), newPassword);
        }

        Profile profile() {
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
