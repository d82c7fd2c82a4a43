package org.middlemark.brokerage.operations;

import java.math.BigDecimal;
import java.util.List;
import org.middlemark.brokerage.errors.Refusal;

/** The limits of what a request may say: the tables "Numbers" and "Messages" of the specification. */
public final class Limits {

    public static final long MAX_SHARES = 1_000_000;
    public static final int MAX_ORDERS = 100;
    public static final int MAX_SYMBOLS = 20;
    private static final BigDecimal MAX_OPENING_BALANCE = new BigDecimal("999999999.99");

    private Limits() {
    }

    static void userId(String value) {
        required("user id", value, 50);
    }

    static void password(String value) {
        required("password", value, 50);
    }

    static void newPassword(String value) {
        text("password", value, 50);
    }

    static void symbol(String value) {
        required("symbol", value, 20);
    }

    static void symbols(List<String> values) {
        if (values == null || values.isEmpty() || values.size() > MAX_SYMBOLS) {
            throw Refusal.invalidInput("Ask for 1 to " + MAX_SYMBOLS + " symbols.");
        }
        values.forEach(Limits::symbol);
    }

    static void profile(String fullName, String address, String email, String creditCard) {
        required("full name", fullName, 100);
        text("address", address, 200);
        text("email", email, 100);
        text("credit card", creditCard, 40);
    }

    static void quantity(Long value) {
        if (value == null || value < 1 || value > MAX_SHARES) {
            throw Refusal.invalidInput("The quantity must be a whole number from 1 to " + MAX_SHARES + ".");
        }
    }

    static void holdingId(Long value) {
        if (value == null || value < 1) {
            throw Refusal.invalidInput("The holding id must be a whole number from 1.");
        }
    }

    static void limit(Long value) {
        if (value == null || value < 1 || value > MAX_ORDERS) {
            throw Refusal.invalidInput("The limit must be a whole number from 1 to " + MAX_ORDERS + ".");
        }
    }

    static void openBalance(BigDecimal value) {
        if (value == null || value.signum() < 0 || value.compareTo(MAX_OPENING_BALANCE) > 0 || value.scale() > 2) {
            throw Refusal.invalidInput("The opening balance must be an amount from 0.00 to " + MAX_OPENING_BALANCE + ".");
        }
    }

    private static void required(String name, String value, int longest) {
        if (value == null || value.isEmpty()) {
            throw Refusal.invalidInput("The " + name + " is missing.");
        }
        text(name, value, longest);
    }

    private static void text(String name, String value, int longest) {
        if (value == null) {
            throw Refusal.invalidInput("The " + name + " is missing.");
        }
        if (value.length() > longest) {
            throw Refusal.invalidInput("The " + name + " has more than " + longest + " characters.");
        }
        if (value.codePoints().anyMatch(Limits::isNoCharacterOfText)) {
            throw Refusal.invalidInput("The " + name + " must not contain control characters.");
        }
        if (!value.equals(value.strip())) {
            throw Refusal.invalidInput("The " + name + " must neither begin nor end with white space.");
        }
    }

    /** Control characters, and halves of surrogate pairs, which no database in UTF-8 can hold. */
    private static boolean isNoCharacterOfText(int codePoint) {
        int type = Character.getType(codePoint);
        return type == Character.CONTROL || type == Character.SURROGATE;
    }
}
