package org.middlemark.brokerage.store;

import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.middlemark.brokerage.domain.HeldShares;
import org.middlemark.brokerage.domain.Holding;
import org.middlemark.brokerage.domain.PlacedOrder;

/** Holdings; those that are read for users have the quote's price now. */
public interface Holdings {
    /** By holding id; nothing without such a user. */
    Optional<List<Holding>> ofUser(String userId);

    /** Nothing when it is not there or another user's. */
    Optional<Holding> find(String userId, long holdingId);

    /** Locks the holding's row and reads it; nothing unless it is the account's. */
    Optional<HeldShares> lock(long accountId, long holdingId);

    /** Locks the rows by holding id, lowest first; the ids of those there are. */
    Set<Long> lock(Collection<Long> holdingIds);

    /** Writes the holding that a buy makes and returns its id. */
    long open(PlacedOrder buy, Instant now);

    /** Marks a holding that the transaction has locked as being sold. */
    void markBeingSold(long holdingId);

    /** Removes a holding that the transaction has locked; false when it is gone. */
    boolean remove(long holdingId);
}
