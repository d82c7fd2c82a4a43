package org.middlemark.brokerage.store.jpa;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.middlemark.brokerage.domain.HeldShares;
import org.middlemark.brokerage.domain.Holding;
import org.middlemark.brokerage.domain.PlacedOrder;
import org.middlemark.brokerage.store.Holdings;

final class JpaHoldings implements Holdings {
    /**
     * A user without holdings is one row without holding, an unknown user none. The price is selected by itself: what
     * is fetched with an entity counts only where the query begins with that entity, else each quote is read alone.
     */
    private static final String OF_USER = """
            SELECT h, q.price FROM AccountRow a LEFT JOIN a.holdings h LEFT JOIN h.quote q WHERE a.userId = :userId
            ORDER BY h.holdingId""";
    private static final String FIND = """
            SELECT h FROM HoldingRow h JOIN FETCH h.quote
            WHERE h.account.userId = :userId AND h.holdingId = :holdingId""";
    private static final String LOCK =
            "SELECT h FROM HoldingRow h WHERE h.account.accountId = :accountId AND h.holdingId = :holdingId";
    private static final String LOCK_ALL = "SELECT h FROM HoldingRow h WHERE h.holdingId IN :ids ORDER BY h.holdingId";

    private final BrokerageEntities entities;

    JpaHoldings(BrokerageEntities entities) {
        this.entities = entities;
    }

    @Override
    public Optional<List<Holding>> ofUser(String userId) {
        List<Object[]> rows = entities.list(OF_USER, Object[].class, Map.of("userId", userId));
        return rows.isEmpty() ? Optional.empty()
                : Optional.of(rows.stream().filter(row -> row[0] != null)
                        .map(row -> ((HoldingRow) row[0]).holding((BigDecimal) row[1])).toList());
    }

    @Override
    public Optional<Holding> find(String userId, long holdingId) {
        return entities.list(FIND, HoldingRow.class, Map.of("userId", userId, "holdingId", holdingId)).stream()
                .findFirst().map(HoldingRow::holding);
    }

    @Override
    public Optional<HeldShares> lock(long accountId, long holdingId) {
        return entities.lock(LOCK, HoldingRow.class, Map.of("accountId", accountId, "holdingId", holdingId)).stream()
                .findFirst().map(HoldingRow::shares);
    }

    @Override
    public Set<Long> lock(Collection<Long> holdingIds) {
        return entities.lock(LOCK_ALL, HoldingRow.class, Map.of("ids", holdingIds)).stream().map(HoldingRow::holdingId)
                .collect(Collectors.toSet());
    }

    @Override
    public long open(PlacedOrder buy, Instant now) {
        AccountRow account = entities.reference(AccountRow.class, buy.accountId());
        QuoteRow quote = entities.reference(QuoteRow.class, buy.order().symbol());
        return entities.write(new HoldingRow(account, quote, buy.order(), now)).holdingId();
    }

    @Override
    public void markBeingSold(long holdingId) {
        entities.find(HoldingRow.class, holdingId).orElseThrow().markBeingSold();
    }

    @Override
    public boolean remove(long holdingId) {
        Optional<HoldingRow> found = entities.find(HoldingRow.class, holdingId);
        found.ifPresent(entities::remove);
        return found.isPresent();
    }
}
