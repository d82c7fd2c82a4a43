package org.middlemark.brokerage.services;

import jakarta.ejb.Stateless;
import jakarta.ejb.TransactionAttribute;
import jakarta.ejb.TransactionAttributeType;
import jakarta.inject.Inject;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.middlemark.brokerage.domain.Account;
import org.middlemark.brokerage.domain.Codes;
import org.middlemark.brokerage.domain.HeldShares;
import org.middlemark.brokerage.domain.Holding;
import org.middlemark.brokerage.domain.Order;
import org.middlemark.brokerage.domain.PlacedOrder;
import org.middlemark.brokerage.domain.Quote;
import org.middlemark.brokerage.domain.TradedQuote;
import org.middlemark.brokerage.messaging.OrderQueue;
import org.middlemark.brokerage.settings.OrderProcessing;
import org.middlemark.brokerage.settings.Settings;
import org.middlemark.brokerage.store.Store;
import org.middlemark.refusals.Refusal;

/**
 * Holdings and orders. Placing an order is one transaction, whose rows are locked in the order account, holding, quote;
 * what is one operation of the store has the transaction that the store needs.
 */
@Stateless
public class TradingBusiness {
    @Inject
    private Store store;
    @Inject
    private OrderQueue queue;
    @Inject
    private Settings settings;

    @TransactionAttribute(TransactionAttributeType.SUPPORTS)
    public List<Holding> holdings(String userId) {
        return store.holdings().ofUser(userId).orElseThrow(() -> AccountBusiness.unknown(userId));
    }

    @TransactionAttribute(TransactionAttributeType.SUPPORTS)
    public Holding holding(String userId, long holdingId) {
        Optional<Holding> found = store.holdings().find(userId, holdingId);
        if (found.isEmpty() && store.accounts().find(userId).isEmpty()) {
            throw AccountBusiness.unknown(userId);
        }
        return found.orElseThrow(() -> unknown(userId, holdingId));
    }

    @TransactionAttribute(TransactionAttributeType.SUPPORTS)
    public List<Order> orders(String userId, int limit) {
        return store.orders().newest(userId, limit).orElseThrow(() -> AccountBusiness.unknown(userId));
    }

    /** Whether there are orders that have been completed and not yet seen. */
    @TransactionAttribute(TransactionAttributeType.SUPPORTS)
    public boolean hasUnseenOrders(String userId) {
        return store.orders().hasUnseen(userId).orElseThrow(() -> AccountBusiness.unknown(userId));
    }

    /** Marks the orders seen that have been completed and not yet seen. */
    @TransactionAttribute(TransactionAttributeType.SUPPORTS)
    public List<Order> seeOrders(String userId) {
        return store.orders().see(userId);
    }

    /** Places an order to buy and completes it. */
    public Order buy(String userId, String symbol, long quantity) {
        Instant now = AccountBusiness.now();
        Account account = lockedAccount(userId);
        TradedQuote traded = lockedQuote(symbol);
        Order order = Order.buy(account.balance(), traded.quote(), quantity, now);
        long holdingId = store.holdings().open(new PlacedOrder(account.accountId(), order), now);
        Order closed = write(account, order.closed(holdingId, now));
        store.accounts().credit(account.accountId(), order.total().negate());
        store.quotes().move(traded.moved(quantity));
        store.flush();
        return closed;
    }

    /** Places an order to sell and completes it. */
    public Order sell(String userId, long holdingId) {
        Instant now = AccountBusiness.now();
        Account account = lockedAccount(userId);
        HeldShares shares = lockedShares(account, holdingId);
        TradedQuote traded = lockedQuote(shares.symbol());
        Order order = Order.sell(shares, traded.quote(), now);
        store.holdings().remove(holdingId);
        Order closed = write(account, order.closed(holdingId, now));
        store.accounts().credit(account.accountId(), order.total());
        store.quotes().move(traded.moved(shares.quantity()));
        store.flush();
        return closed;
    }

    /** Places an order to buy, which is completed later. */
    public Order placeBuy(String userId, String symbol, long quantity) {
        Account account = lockedAccount(userId);
        Quote quote = store.quotes().find(symbol).orElseThrow(() -> MarketBusiness.unknown(symbol));
        Order order = write(account, Order.buy(account.balance(), quote, quantity, AccountBusiness.now()));
        store.accounts().credit(account.accountId(), order.total().negate());
        enqueue(order);
        store.flush();
        return order;
    }

    /** Places an order to sell, which is completed later. */
    public Order placeSell(String userId, long holdingId) {
        Account account = lockedAccount(userId);
        HeldShares shares = lockedShares(account, holdingId);
        Quote quote = store.quotes().find(shares.symbol()).orElseThrow(() -> MarketBusiness.unknown(shares.symbol()));
        Order order = write(account, Order.sell(shares, quote, AccountBusiness.now()));
        store.holdings().markBeingSold(holdingId);
        enqueue(order);
        store.flush();
        return order;
    }

    /** In the transaction that has written the order: of the database alone, or of database and queue. */
    private void enqueue(Order order) {
        if (settings.orders() == OrderProcessing.ASYNC_XA) {
            queue.send(order);
        } else {
            store.orders().enqueue(order);
        }
    }

    private Order write(Account account, Order order) {
        return order.placed(store.orders().write(new PlacedOrder(account.accountId(), order)));
    }

    private Account lockedAccount(String userId) {
        return store.accounts().lock(userId).orElseThrow(() -> AccountBusiness.unknown(userId));
    }

    private HeldShares lockedShares(Account account, long holdingId) {
        return store.holdings().lock(account.accountId(), holdingId)
                .orElseThrow(() -> unknown(account.userId(), holdingId));
    }

    private TradedQuote lockedQuote(String symbol) {
        return store.quotes().lock(symbol).orElseThrow(() -> MarketBusiness.unknown(symbol));
    }

    private static Refusal unknown(String userId, long holdingId) {
        return new Refusal(Codes.UNKNOWN_HOLDING, "User " + userId + " has no holding " + holdingId + ".");
    }
}
