package org.middlemark.brokerage.orders;

import java.math.BigDecimal;
import java.time.Instant;
import org.middlemark.brokerage.accounts.AccountRepository;
import org.middlemark.brokerage.accounts.LockedAccount;
import org.middlemark.brokerage.database.RepeatedOnConflict;
import org.middlemark.brokerage.database.Times;
import org.middlemark.brokerage.errors.ErrorCode;
import org.middlemark.brokerage.errors.Refusal;
import org.middlemark.brokerage.quotes.LockedQuote;
import org.middlemark.brokerage.quotes.QuoteRepository;
import org.middlemark.brokerage.settings.WithDatabase;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Buying and selling. An order is placed and completed in one transaction, which locks account, holding and quote in this order. */
@Service
@WithDatabase
public class OrderService {

    private static final BigDecimal FEE = new BigDecimal("24.95");

    private final AccountRepository accounts;
    private final HoldingRepository holdings;
    private final QuoteRepository quotes;
    private final OrderRepository orders;

    OrderService(AccountRepository accounts, HoldingRepository holdings, QuoteRepository quotes, OrderRepository orders) {
        this.accounts = accounts;
        this.holdings = holdings;
        this.quotes = quotes;
        this.orders = orders;
    }

    @RepeatedOnConflict
    @Transactional
    public Order buy(String userId, String symbol, long quantity) {
        LockedAccount account = accounts.lock(userId).orElseThrow(() -> Refusal.unknownUser(userId));
        LockedQuote quote = quotes.lock(symbol).orElseThrow(() -> Refusal.unknownSymbol(symbol));
        BigDecimal total = OrderType.BUY.total(quantity, quote.price(), FEE);
        if (account.balance().compareTo(total) < 0) {
            throw new Refusal(ErrorCode.INSUFFICIENT_FUNDS,
                    "The order costs " + total.toPlainString() + ", the balance is " + account.balance().toPlainString() + ".");
        }
        Instant now = Times.now();
        long holdingId = holdings.insert(account.accountId(), symbol, quantity, quote.price(), now);
        Order order = insert(account, OrderType.BUY, quote, quantity, new Completion(now, holdingId));
        accounts.setBalance(account.accountId(), account.balance().subtract(total));
        quotes.move(quote, quantity);
        return order;
    }

    @RepeatedOnConflict
    @Transactional
    public Order sell(String userId, long holdingId) {
        LockedAccount account = accounts.lock(userId).orElseThrow(() -> Refusal.unknownUser(userId));
        HoldingRepository.LockedHolding holding = holdings.lock(account.accountId(), holdingId)
                .orElseThrow(() -> unknownHolding(userId, holdingId));
        if (holding.beingSold()) {
            throw new Refusal(ErrorCode.ALREADY_BEING_SOLD, "Holding " + holdingId + " is already being sold.");
        }
        LockedQuote quote = quotes.lock(holding.symbol()).orElseThrow(() -> Refusal.unknownSymbol(holding.symbol()));
        Order order = insert(account, OrderType.SELL, quote, holding.quantity(), new Completion(Times.now(), holdingId));
        holdings.delete(holdingId);
        accounts.setBalance(account.accountId(), account.balance().add(order.total()));
        quotes.move(quote, holding.quantity());
        return order;
    }

    static Refusal unknownHolding(String userId, long holdingId) {
        return new Refusal(ErrorCode.UNKNOWN_HOLDING, "User " + userId + " has no holding " + holdingId + ".");
    }

    private Order insert(LockedAccount account, OrderType type, LockedQuote quote, long quantity, Completion completion) {
        BigDecimal total = type.total(quantity, quote.price(), FEE);
        Order order = new Order(0, type, OrderStatus.CLOSED, quote.symbol(), quantity, quote.price(), FEE, total, completion.time(),
                completion.time(), completion.holdingId());
        return order.withId(orders.insertClosed(account.accountId(), order));
    }

    /** When an order is placed and completed, and the holding it makes or sells. */
    private record Completion(Instant time, long holdingId) {
    }
}
