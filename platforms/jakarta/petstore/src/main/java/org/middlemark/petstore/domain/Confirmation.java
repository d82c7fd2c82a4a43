package org.middlemark.petstore.domain;

import java.util.SortedMap;
import java.util.UUID;

/**
 * What a user has confirmed, under a key that makes one order.
 *
 * @param pieces how many of each item, by item id
 */
public record Confirmation(UUID orderKey, String userId, SortedMap<String, Integer> pieces, Card card, Address billing,
        Address shipping) {
}
