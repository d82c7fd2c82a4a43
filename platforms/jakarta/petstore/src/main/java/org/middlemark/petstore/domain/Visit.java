package org.middlemark.petstore.domain;

import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import org.middlemark.refusals.Refusal;

/**
 * What a web session remembers: the cart, who has signed in, and how far the checkout is. One browser may send several
 * requests at once, so each method is one step.
 */
public class Visit {
    private final SortedMap<String, Integer> pieces = new TreeMap<>();
    private Customer customer;
    private Billing billing;
    private Confirmation confirmation;

    /** How many pieces of each item are in the cart, by item id. */
    public synchronized SortedMap<String, Integer> pieces() {
        return Collections.unmodifiableSortedMap(new TreeMap<>(pieces));
    }

    /** Adds a piece, and ends a checkout that has been confirmed. */
    public synchronized void add(String itemId) {
        if (pieces.values().stream().mapToInt(Integer::intValue).sum() == Limits.PIECES) {
            throw new Refusal(Codes.CART_FULL, "A cart holds at most " + Limits.PIECES + " pieces.");
        }
        pieces.merge(itemId, 1, Integer::sum);
        if (confirmation != null) {
            endCheckout();
        }
    }

    /** Who has signed in. */
    public synchronized Optional<Customer> customer() {
        return Optional.ofNullable(customer);
    }

    /** Somebody signs in; a checkout ends, the cart stays. */
    public synchronized void signIn(Customer other) {
        customer = other;
        endCheckout();
    }

    /** The checkout has shown this billing. */
    public synchronized void show(Billing shown) {
        billing = shown;
    }

    /** The billing that the checkout has shown. */
    public synchronized Optional<Billing> billing() {
        return Optional.ofNullable(billing);
    }

    /**
     * Confirms the cart with a card and the addresses that were shown, under a new key; the latest key counts. Nothing
     * is confirmed unless there are pieces, and billing has been shown.
     */
    public synchronized Optional<Confirmation> confirm(Card card) {
        if (pieces.isEmpty() || billing == null) {
            return Optional.empty();
        }
        confirmation = new Confirmation(UUID.randomUUID(), customer.userId(), pieces(), card, billing.address(),
                customer.profile());
        return Optional.of(confirmation);
    }

    /** What has been confirmed under a key; nothing unless it is the latest one. */
    public synchronized Optional<Confirmation> confirmed(UUID orderKey) {
        return Optional.ofNullable(confirmation).filter(latest -> latest.orderKey().equals(orderKey));
    }

    /** The order of a key has been placed: the cart that was confirmed under it is empty. */
    public synchronized void placed(UUID orderKey) {
        if (confirmed(orderKey).isPresent()) {
            pieces.clear();
            endCheckout();
        }
    }

    public static Refusal emptyCart() {
        return new Refusal(Codes.EMPTY_CART, "The cart is empty.");
    }

    private void endCheckout() {
        billing = null;
        confirmation = null;
    }
}
