package org.middlemark.petstore.domain;

import java.util.List;
import org.middlemark.refusals.Code;
import org.middlemark.refusals.Refusal;

/** Why an operation of the shop was refused (specs/petstore/README.md, "Errors"). */
public final class Codes {
    public static final Code UNKNOWN_CATEGORY = new Code("unknown_category", 404);
    public static final Code UNKNOWN_PRODUCT = new Code("unknown_product", 404);
    public static final Code UNKNOWN_ITEM = new Code("unknown_item", 404);
    public static final Code UNKNOWN_ORDER = new Code("unknown_order", 404);
    public static final Code EMPTY_CART = new Code("empty_cart", 409);
    public static final Code CART_FULL = new Code("cart_full", 409);
    public static final Code OUT_OF_STOCK = new Code("out_of_stock", 409);
    public static final Code CHECKOUT_ENDED = new Code("checkout_ended", 409);

    /** What the web service refuses by. */
    public static final List<Code> OF_WEB_SERVICE =
            List.of(Code.INVALID_INPUT, UNKNOWN_ORDER, Code.UNAVAILABLE, Code.INTERNAL);

    private Codes() {
    }

    /** The refusal of an order key that makes no order any more. */
    public static Refusal checkoutEnded() {
        return new Refusal(CHECKOUT_ENDED, "This checkout has ended. Please begin again from the cart.");
    }
}
