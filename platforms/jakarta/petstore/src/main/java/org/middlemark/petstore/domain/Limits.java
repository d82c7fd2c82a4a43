package org.middlemark.petstore.domain;

import java.util.OptionalLong;
import org.middlemark.refusals.Refusal;
import org.middlemark.values.Texts;
import org.middlemark.values.WholeNumber;

/** The limits of the values that users give; one that is missing or outside is refused with its message. */
public final class Limits {
    /** The pieces in a cart. */
    public static final int PIECES = 100;

    private static final int LONG_TEXT = 100;
    private static final int ID = 50;
    private static final int CARD_NUMBER = 40;
    private static final int CARD_EXPIRATION = 10;
    private static final int PAGE = 1000;

    private Limits() {
    }

    /** A text to search for. */
    public static void searchText(String text) {
        Texts.needed("search text", text, LONG_TEXT);
    }

    /** An id or a password, by the name of its field. */
    public static void id(String field, String id) {
        Texts.needed(field, id, ID);
    }

    /** Type, number and expiration, in this order. */
    public static void card(Card card) {
        Texts.needed("card type", card.type(), LONG_TEXT);
        Texts.needed("card number", card.number(), CARD_NUMBER);
        Texts.needed("card expiration", card.expiration(), CARD_EXPIRATION);
    }

    /** The number of a page as it was sent; the first page when it is missing. */
    public static int page(String sent) {
        OptionalLong page = sent.isEmpty() ? OptionalLong.of(1) : WholeNumber.typed(sent);
        if (page.isEmpty() || page.getAsLong() < 1 || page.getAsLong() > PAGE) {
            throw Refusal.invalid("The page must be a whole number from 1 to " + PAGE + ".");
        }
        return (int) page.getAsLong();
    }

    /** The id of an order as it was sent. */
    public static long orderId(String sent) {
        return orderId(WholeNumber.typed(sent).orElse(0));
    }

    /** The id of an order. */
    public static long orderId(long orderId) {
        if (orderId < 1) {
            throw Refusal.invalid("The order id must be a whole number from 1.");
        }
        return orderId;
    }
}
