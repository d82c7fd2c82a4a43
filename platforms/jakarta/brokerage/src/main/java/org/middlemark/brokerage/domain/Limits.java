package org.middlemark.brokerage.domain;

import java.math.BigDecimal;
import java.util.List;
import org.middlemark.refusals.Refusal;
import org.middlemark.values.Money;
import org.middlemark.values.Texts;

/** The limits of the values that users give; one that is missing (null) or outside is refused with its message. */
public final class Limits {
    /** How many symbols one request for quotes may name. */
    public static final int SYMBOLS = 20;

    private static final int SYMBOL = 20;
    private static final int USER_ID = 50;
    private static final int PASSWORD = 50;
    private static final int FULL_NAME = 100;
    private static final int ADDRESS = 200;
    private static final int EMAIL = 100;
    private static final int CREDIT_CARD = 40;
    private static final long QUANTITY = 1_000_000;
    private static final BigDecimal OPEN_BALANCE = new BigDecimal("999999999.99");

    private Limits() {
    }

    /** A user id is needed. */
    public static void userId(String userId) {
        Texts.needed("user id", userId, USER_ID);
    }

    /** A password is needed, here the one of a login or a registration. */
    public static void password(String password) {
        Texts.needed("password", password, PASSWORD);
    }

    /** A new password, which is empty when the old one stays. */
    public static void newPassword(String password) {
        Texts.text("password", password, PASSWORD);
    }

    /** A symbol is needed. */
    public static void symbol(String symbol) {
        Texts.needed("symbol", symbol, SYMBOL);
    }

    /** How many there are, and then each of them. */
    public static void symbols(List<String> symbols) {
        if (symbols == null || symbols.isEmpty() || symbols.size() > SYMBOLS) {
            throw Refusal.invalid("Ask for 1 to " + SYMBOLS + " symbols.");
        }
        symbols.forEach(Limits::symbol);
    }

    /** The user id of a profile, then its texts. */
    public static void profile(Profile profile) {
        userId(profile.userId());
        texts(profile);
    }

    /** The profile, the password and the opening balance, in this order. */
    public static void registration(Registration registration) {
        userId(registration.profile().userId());
        password(registration.password());
        texts(registration.profile());
        BigDecimal balance = registration.openBalance();
        if (balance.signum() < 0 || balance.compareTo(OPEN_BALANCE) > 0) {
            throw openBalance();
        }
    }

    /** Says what an amount must be. */
    public static Refusal amount() {
        return Refusal.invalid("An amount must be text such as \"1234.50\".");
    }

    /** Says what an opening balance must be. */
    public static Refusal openBalance() {
        return Refusal.invalid("The opening balance must be an amount from 0.00 to " + Money.text(OPEN_BALANCE) + ".");
    }

    /** A number of shares from one. */
    public static void quantity(long quantity) {
        if (quantity < 1 || quantity > QUANTITY) {
            throw quantity();
        }
    }

    /** Says what a quantity must be. */
    public static Refusal quantity() {
        return Refusal.invalid("The quantity must be a whole number from 1 to " + QUANTITY + ".");
    }

    /** An id from one. */
    public static void holdingId(long holdingId) {
        if (holdingId < 1) {
            throw holdingId();
        }
    }

    /** Says what a holding id must be. */
    public static Refusal holdingId() {
        return Refusal.invalid("The holding id must be a whole number from 1.");
    }

    /** How many orders an answer may have. */
    public static void limit(long limit) {
        if (limit < 1 || limit > Order.MAX_ORDERS) {
            throw Refusal.invalid("The limit must be a whole number from 1 to " + Order.MAX_ORDERS + ".");
        }
    }

    private static void texts(Profile profile) {
        Texts.needed("full name", profile.fullName(), FULL_NAME);
        Texts.text("address", profile.address(), ADDRESS);
        Texts.text("email", profile.email(), EMAIL);
        Texts.text("credit card", profile.creditCard(), CREDIT_CARD);
    }
}
