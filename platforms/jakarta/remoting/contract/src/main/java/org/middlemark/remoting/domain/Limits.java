package org.middlemark.remoting.domain;

import java.math.BigDecimal;
import java.time.LocalDateTime;
import org.middlemark.refusals.Refusal;

/** The limits of the values in requests. A value outside of them is refused with a message that names it. */
public final class Limits {
    private static final int MAX_CHARACTERS = 100;
    private static final int MAX_LINES = 100;
    private static final int MAX_QUANTITY = 32_767;
    private static final int MAX_AMOUNT = 1_000_000;
    private static final int MIN_YEAR = 1753;
    private static final int MAX_YEAR = 9998;

    private Limits() {
    }

    /** An order to store. */
    public static void order(Order order) {
        customerId(order.customerId());
        orderDate(order.orderDate());
        address("shipping", order.shipping());
        address("billing", order.billing());
        freight(order.freight());
        if (order.lines() == null || order.lines().isEmpty() || order.lines().size() > MAX_LINES) {
            throw Refusal.invalid("An order has from 1 to " + MAX_LINES + " lines.");
        }
        order.lines().forEach(Limits::line);
    }

    /** The id of a customer, known or not. */
    public static void customerId(String customerId) {
        text("customerId", customerId);
    }

    private static void address(String name, Address address) {
        if (address == null) {
            throw Refusal.invalid(name + " is missing.");
        }
        text(name + ".name", address.name());
        text(name + ".street", address.street());
        text(name + ".city", address.city());
        text(name + ".region", address.region());
        text(name + ".postalCode", address.postalCode());
        text(name + ".country", address.country());
    }

    private static void line(OrderLine line) {
        if (line == null) {
            throw Refusal.invalid("A line is missing.");
        }
        if (line.quantity() < 1 || line.quantity() > MAX_QUANTITY) {
            throw Refusal.invalid("quantity is outside of 1 to " + MAX_QUANTITY + ".");
        }
        within("unitPrice", line.unitPrice(), MAX_AMOUNT);
        within("discount", line.discount(), 1);
    }

    private static void orderDate(LocalDateTime date) {
        if (date == null) {
            throw Refusal.invalid("orderDate is missing.");
        }
        if (date.getYear() < MIN_YEAR || date.getYear() > MAX_YEAR) {
            throw Refusal.invalid("The year of orderDate is outside of " + MIN_YEAR + " to " + MAX_YEAR + ".");
        }
    }

    private static void freight(BigDecimal freight) {
        if (freight == null) {
            throw Refusal.invalid("freight is missing.");
        }
        within("freight", freight.doubleValue(), MAX_AMOUNT);
    }

    /** Not a number is not within either. */
    private static void within(String name, double value, int most) {
        if (!(value >= 0 && value <= most)) {
            throw Refusal.invalid(name + " is outside of 0 to " + most + ".");
        }
    }

    private static void text(String name, String text) {
        if (readable(name, text).codePointCount(0, text.length()) > MAX_CHARACTERS) {
            throw Refusal.invalid(name + " has more than " + MAX_CHARACTERS + " characters.");
        }
    }

    /** A text of any length. */
    public static String readable(String name, String text) {
        if (text == null) {
            throw Refusal.invalid(name + " is missing.");
        }
        if (text.codePoints().anyMatch(Limits::isNoText)) {
            throw Refusal.invalid(name + " is not text in UTF-8 without U+0000.");
        }
        return text;
    }

    private static boolean isNoText(int character) {
        return character == 0 || character >= Character.MIN_SURROGATE && character <= Character.MAX_SURROGATE;
    }
}
