package org.middlemark.petstore.services;

import jakarta.ejb.Stateless;
import jakarta.ejb.TransactionAttribute;
import jakarta.ejb.TransactionAttributeType;
import jakarta.inject.Inject;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.middlemark.petstore.domain.Cart;
import org.middlemark.petstore.domain.CartLine;
import org.middlemark.petstore.domain.Category;
import org.middlemark.petstore.domain.CategoryListing;
import org.middlemark.petstore.domain.Codes;
import org.middlemark.petstore.domain.Item;
import org.middlemark.petstore.domain.Listing;
import org.middlemark.petstore.domain.ProductWithItems;
import org.middlemark.petstore.domain.Stocked;
import org.middlemark.petstore.store.Store;
import org.middlemark.refusals.Refusal;

/** What pages show of the catalog; nothing of it needs a transaction. */
@Stateless
@TransactionAttribute(TransactionAttributeType.SUPPORTS)
public class Browsing {
    @Inject
    private Store store;
    @Inject
    private StaticCatalog kept;

    public List<Category> categories() {
        return kept.categories();
    }

    public Listing search(String text, int page) {
        return listing(store.catalog().search(text, first(page), Listing.SIZE + 1), page);
    }

    public CategoryListing category(String categoryId, int page) {
        Category category = kept.categories().stream().filter(one -> one.categoryId().equals(categoryId)).findFirst()
                .orElseThrow(() -> new Refusal(Codes.UNKNOWN_CATEGORY, "There is no category " + categoryId + "."));
        List<String> ids = store.catalog().ofCategory(categoryId, first(page), Listing.SIZE + 1);
        return new CategoryListing(category, listing(ids, page));
    }

    public ProductWithItems product(String productId) {
        return store.catalog().product(productId)
                .orElseThrow(() -> new Refusal(Codes.UNKNOWN_PRODUCT, "There is no product " + productId + "."));
    }

    /** An item with its inventory now. */
    public Stocked item(String itemId) {
        Item item = known(itemId);
        return new Stocked(item, store.catalog().inventory(Set.of(itemId)).get(itemId));
    }

    /** An item that exists; refused otherwise. */
    public Item known(String itemId) {
        Item item = kept.items(Set.of(itemId)).get(itemId);
        if (item == null) {
            throw new Refusal(Codes.UNKNOWN_ITEM, "There is no item " + itemId + ".");
        }
        return item;
    }

    /** Items that exist, by item id. */
    public Map<String, Item> items(Set<String> itemIds) {
        return kept.items(itemIds);
    }

    /** A cart with the inventory of each item now, in the order of its items. */
    public Cart cart(Map<String, Integer> pieces) {
        if (pieces.isEmpty()) {
            return new Cart(List.of());
        }
        Map<String, Item> items = kept.items(pieces.keySet());
        Map<String, Long> inventory = store.catalog().inventory(pieces.keySet());
        return new Cart(pieces.keySet().stream()
                .map(id -> new CartLine(items.get(id), pieces.get(id), inventory.get(id))).toList());
    }

    /** One product more than a page has says that there is a next one. */
    private Listing listing(List<String> productIds, int page) {
        List<String> shown = productIds.stream().limit(Listing.SIZE).toList();
        return new Listing(kept.products(shown), page, productIds.size() > shown.size());
    }

    private static int first(int page) {
        return (page - 1) * Listing.SIZE;
    }
}
