package org.middlemark.brokerage.processing;

import jakarta.ejb.Stateless;
import jakarta.ejb.TransactionAttribute;
import jakarta.ejb.TransactionAttributeType;
import jakarta.inject.Inject;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.middlemark.brokerage.domain.Order;
import org.middlemark.brokerage.domain.OrderStatus;
import org.middlemark.brokerage.domain.OrderType;
import org.middlemark.brokerage.domain.PlacedOrder;
import org.middlemark.brokerage.domain.TradedQuote;
import org.middlemark.brokerage.store.Deadline;
import org.middlemark.brokerage.store.Store;

/** Completes queued orders: what a processor does in one transaction. */
@Stateless
public class OrderCompletion {
    @Inject
    private Store store;

    /**
     * Takes messages, completes their orders and deletes them.
     *
     * @param most messages that are taken
     * @param except ids of orders whose messages are left alone
     * @return the ids of the orders that have been completed
     * @throws CannotComplete for the first order that no repetition will complete; then none of them is
     */
    public List<Long> complete(int most, Collection<Long> except) {
        List<PlacedOrder> taken = store.orders().take(most, except);
        if (taken.isEmpty()) {
            return List.of();
        }
        store.accounts().lock(distinct(taken, PlacedOrder::accountId));
        Set<Long> holdings = lockedHoldings(taken);
        Set<String> symbols = distinct(taken, placed -> placed.order().symbol());
        Map<String, TradedQuote> quotes = new HashMap<>(store.quotes().lock(symbols));
        for (PlacedOrder placed : taken) {
            try {
                complete(placed, holdings, quotes);
                store.flush();
                Deadline.secondsLeft(); // what a flush writes has a limit of its own, which may be the longer one
            } catch (RuntimeException failure) {
                throw CannotComplete.unlessCurable(placed.order().orderId(), failure);
            }
        }
        return taken.stream().map(placed -> placed.order().orderId()).toList();
    }

    /** Finds an order among those that {@link #complete} would take that cannot even be read. */
    @TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
    public Optional<CannotComplete> unreadable(int most, Collection<Long> except) {
        for (long orderId : store.orders().waiting(most, except)) {
            try {
                store.orders().read(orderId);
            } catch (RuntimeException failure) {
                if (CannotComplete.unlessCurable(orderId, failure) instanceof CannotComplete unreadable) {
                    return Optional.of(unreadable);
                }
                throw failure;
            }
        }
        return Optional.empty();
    }

    private Set<Long> lockedHoldings(List<PlacedOrder> taken) {
        List<PlacedOrder> sells = taken.stream().filter(placed -> placed.order().type() == OrderType.SELL).toList();
        Set<Long> holdingIds = distinct(sells, placed -> placed.order().holdingId());
        return holdingIds.isEmpty() ? Set.of() : store.holdings().lock(holdingIds);
    }

    private void complete(PlacedOrder placed, Set<Long> holdings, Map<String, TradedQuote> quotes) {
        Order order = placed.order();
        require(order.status() == OrderStatus.OPEN, "it is not open");
        Instant now = Instant.now().truncatedTo(ChronoUnit.MICROS);
        TradedQuote moved = quotes.get(order.symbol()).moved(order.quantity());
        long holdingId;
        if (order.type() == OrderType.BUY) {
            holdingId = store.holdings().open(placed, now);
        } else {
            holdingId = order.holdingId();
            require(holdings.contains(holdingId) && store.holdings().remove(holdingId), "its holding is gone");
            store.accounts().credit(placed.accountId(), order.total());
        }
        require(store.orders().close(order.closed(holdingId, now)), "it is not open");
        store.quotes().move(moved);
        quotes.put(order.symbol(), moved);
        store.orders().dequeue(order.orderId());
    }

    private static void require(boolean condition, String otherwise) {
        if (!condition) {
            throw new IllegalStateException(otherwise);
        }
    }

    private static <T> Set<T> distinct(List<PlacedOrder> orders, Function<PlacedOrder, T> value) {
        return orders.stream().map(value).filter(Objects::nonNull).collect(Collectors.toCollection(TreeSet::new));
    }
}
