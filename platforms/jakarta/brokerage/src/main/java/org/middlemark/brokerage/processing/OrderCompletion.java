package org.middlemark.brokerage.processing;

import jakarta.ejb.Stateless;
import jakarta.inject.Inject;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.middlemark.brokerage.domain.Order;
import org.middlemark.brokerage.domain.OrderMessage;
import org.middlemark.brokerage.domain.OrderStatus;
import org.middlemark.brokerage.domain.OrderType;
import org.middlemark.brokerage.domain.PlacedOrder;
import org.middlemark.brokerage.domain.TradedQuote;
import org.middlemark.brokerage.store.Store;
import org.middlemark.database.Deadline;
import org.middlemark.database.Failures;

/** Completes queued orders. Each method is one transaction, or a part of the one in which it is called. */
@Stateless
public class OrderCompletion {
    @Inject
    private Store store;

    /**
     * Takes messages, completes their orders and deletes them.
     *
     * @param most messages that are taken
     * @param except ids of messages that are left alone
     * @return the messages that have been taken
     * @throws CannotComplete when one of the orders can never be completed; then none of them is
     */
    public List<OrderMessage> complete(int most, Collection<Long> except) {
        List<OrderMessage> taken = store.orders().take(most, except);
        completeAll(taken);
        return taken;
    }

    /**
     * Takes one message, completes its order and deletes it.
     *
     * @return false when the message is not there any more, or somebody else is at it
     * @throws CannotComplete when the order can never be completed
     */
    public boolean complete(OrderMessage message) {
        boolean taken = store.orders().take(message);
        if (taken) {
            completeAll(List.of(message));
        }
        return taken;
    }

    /**
     * Completes an order whose message the caller's transaction has taken from a queue beside the database.
     *
     * @throws CannotComplete when the order cannot be completed, or is not there: a queue may be ahead of the database
     */
    public void completeOrder(long orderId) {
        completeAll(List.of(orderId), List.of());
    }

    private void completeAll(List<OrderMessage> taken) {
        if (!taken.isEmpty()) {
            completeAll(taken.stream().map(OrderMessage::orderId).toList(), taken);
        }
    }

    private void completeAll(List<Long> orderIds, List<OrderMessage> taken) {
        try {
            Map<Long, PlacedOrder> orders = store.orders().read(orderIds);
            require(orders.keySet().containsAll(orderIds), "it is not there");
            store.accounts().lock(distinct(orders, PlacedOrder::accountId));
            Set<Long> holdings = lockedHoldings(orders);
            Set<String> symbols = distinct(orders, placed -> placed.order().symbol());
            Map<String, TradedQuote> quotes = new HashMap<>(store.quotes().lock(symbols));
            orderIds.forEach(orderId -> complete(orders.get(orderId), holdings, quotes));
            taken.forEach(store.orders()::dequeue);
            store.flush();
            Deadline.secondsLeft(); // what a flush writes has a limit of its own, which may be the longer one
        } catch (RuntimeException failure) {
            throw Failures.isCurable(failure) ? failure : new CannotComplete(taken, failure);
        }
    }

    private Set<Long> lockedHoldings(Map<Long, PlacedOrder> orders) {
        Set<Long> sold = distinct(orders,
                placed -> placed.order().type() == OrderType.SELL ? placed.order().holdingId() : null);
        return sold.isEmpty() ? Set.of() : store.holdings().lock(sold);
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
    }

    private static void require(boolean condition, String otherwise) {
        if (!condition) {
            throw new IllegalStateException(otherwise);
        }
    }

    private static <T> Set<T> distinct(Map<Long, PlacedOrder> orders, Function<PlacedOrder, T> value) {
        return orders.values().stream().map(value).filter(Objects::nonNull)
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
