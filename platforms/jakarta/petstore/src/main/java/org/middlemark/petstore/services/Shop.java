package org.middlemark.petstore.services;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.middlemark.database.Attempts;
import org.middlemark.database.Failures;
import org.middlemark.petstore.domain.Billing;
import org.middlemark.petstore.domain.Cart;
import org.middlemark.petstore.domain.Category;
import org.middlemark.petstore.domain.CategoryListing;
import org.middlemark.petstore.domain.Codes;
import org.middlemark.petstore.domain.Confirmation;
import org.middlemark.petstore.domain.Customer;
import org.middlemark.petstore.domain.Limits;
import org.middlemark.petstore.domain.Listing;
import org.middlemark.petstore.domain.Order;
import org.middlemark.petstore.domain.ProductWithItems;
import org.middlemark.petstore.domain.Stocked;
import org.middlemark.petstore.domain.Visit;
import org.middlemark.refusals.Code;
import org.middlemark.refusals.Refusal;

/** The shop as pages and web service call it: values are checked, then the operation is carried out in attempts. */
@ApplicationScoped
public class Shop {
    /** Refusals of a key that may have made an order meanwhile, whose request then is answered by it. */
    private static final Set<Code> MAY_BE_PLACED = Set.of(Codes.OUT_OF_STOCK, Codes.CHECKOUT_ENDED);

    @Inject
    private Browsing browsing;
    @Inject
    private Ordering ordering;

    public List<Category> categories() {
        return Attempts.carryOut(browsing::categories);
    }

    public Listing search(String text, int page) {
        Limits.searchText(text);
        return Attempts.carryOut(() -> browsing.search(text, page));
    }

    public CategoryListing category(String categoryId, int page) {
        Limits.id("category id", categoryId);
        return Attempts.carryOut(() -> browsing.category(categoryId, page));
    }

    public ProductWithItems product(String productId) {
        Limits.id("product id", productId);
        return Attempts.carryOut(() -> browsing.product(productId));
    }

    public Stocked item(String itemId) {
        Limits.id("item id", itemId);
        return Attempts.carryOut(() -> browsing.item(itemId));
    }

    /** Refused unless the item exists. */
    public void requireItem(String itemId) {
        Limits.id("item id", itemId);
        Attempts.carryOut(() -> browsing.known(itemId));
    }

    /** The cart with the inventory of its items now. */
    public Cart cart(Map<String, Integer> pieces) {
        return Attempts.carryOut(() -> browsing.cart(pieces));
    }

    /** The cart of a checkout, which must not be empty. */
    public Cart summary(Map<String, Integer> pieces) {
        if (pieces.isEmpty()) {
            throw Visit.emptyCart();
        }
        return cart(pieces);
    }

    public Customer signIn(String userId, String password) {
        Limits.id("user id", userId);
        Limits.id("password", password);
        return Attempts.carryOut(() -> ordering.customer(userId, password))
                .orElseThrow(() -> new Refusal(Code.AUTHENTICATION_FAILED, "Unknown user or wrong password."));
    }

    public Billing billing(String userId) {
        return Attempts.carryOut(() -> ordering.billing(userId));
    }

    /**
     * Places the order of a confirmation. A commit that fails is unavailable: nobody knows what became of the order
     * until its key is asked for.
     */
    public Order place(Confirmation confirmed) {
        Set<String> itemIds = confirmed.pieces().keySet();
        try {
            return Attempts.carryOut(() -> ordering.place(Order.of(confirmed, browsing.items(itemIds))));
        } catch (Refusal refusal) {
            if (MAY_BE_PLACED.contains(refusal.code())) {
                return placed(confirmed.orderKey(), confirmed.userId(), refusal);
            }
            throw Failures.isOfCommit(refusal) ? Refusal.unavailable(refusal.getCause()) : refusal;
        }
    }

    /** The order that a key has made, if it is the user's. */
    public Order placed(UUID orderKey, String userId) {
        return placed(orderKey, userId, Codes.checkoutEnded());
    }

    private Order placed(UUID orderKey, String userId, Refusal otherwise) {
        return Attempts.carryOut(() -> ordering.order(orderKey)).filter(order -> order.userId().equals(userId))
                .orElseThrow(() -> otherwise);
    }

    /** An order of any user. */
    public Order order(long orderId) {
        Limits.orderId(orderId);
        return Attempts.carryOut(() -> ordering.order(orderId)).orElseThrow(() -> unknownOrder(orderId));
    }

    /** An order of this user. */
    public Order order(long orderId, String userId) {
        Order order = order(orderId);
        if (!order.userId().equals(userId)) {
            throw unknownOrder(orderId);
        }
        return order;
    }

    private static Refusal unknownOrder(long orderId) {
        return new Refusal(Codes.UNKNOWN_ORDER, "There is no order " + orderId + ".");
    }
}
