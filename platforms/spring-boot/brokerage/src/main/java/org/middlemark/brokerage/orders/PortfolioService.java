package org.middlemark.brokerage.orders;

import java.util.List;
import org.middlemark.brokerage.accounts.AccountRepository;
import org.middlemark.brokerage.database.RepeatedOnConflict;
import org.middlemark.brokerage.errors.Refusal;
import org.middlemark.brokerage.settings.WithDatabase;
import org.springframework.stereotype.Service;

/** What a user owns and has ordered. */
@Service
@WithDatabase
public class PortfolioService {

    private final AccountRepository accounts;
    private final HoldingRepository holdings;
    private final OrderRepository orders;

    PortfolioService(AccountRepository accounts, HoldingRepository holdings, OrderRepository orders) {
        this.accounts = accounts;
        this.holdings = holdings;
        this.orders = orders;
    }

    @RepeatedOnConflict
    public List<Holding> holdings(String userId) {
        return holdings.findAll(userId).orElseThrow(() -> Refusal.unknownUser(userId));
    }

    @RepeatedOnConflict
    public Holding holding(String userId, long holdingId) {
        return holdings.find(userId, holdingId).orElseThrow(() -> accounts.exists(userId)
                ? OrderService.unknownHolding(userId, holdingId) : Refusal.unknownUser(userId));
    }

    @RepeatedOnConflict
    public List<Order> lastOrders(String userId, long limit) {
        List<Order> last = orders.findLast(userId, limit);
        // Without rows there may be no such user: only then is it worth a second question.
        if (last.isEmpty() && !accounts.exists(userId)) {
            throw Refusal.unknownUser(userId);
        }
        return last;
    }

    /** Returns the orders that are completed and not yet seen, and marks them seen; where there are none, nothing is locked or written. */
    @RepeatedOnConflict
    public List<Order> closedOrders(String userId) {
        boolean due = orders.hasUnseen(userId).orElseThrow(() -> Refusal.unknownUser(userId));
        return due ? orders.see(userId) : List.of();
    }
}
