package org.middlemark.brokerage.store.jpa;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.FetchType;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.JoinColumn;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.SequenceGenerator;
import jakarta.persistence.Table;
import java.math.BigDecimal;
import java.time.Instant;
import org.middlemark.brokerage.domain.HeldShares;
import org.middlemark.brokerage.domain.Holding;
import org.middlemark.brokerage.domain.Order;

/** A row of the table holdings. */
@Entity
@Table(name = "holdings")
public class HoldingRow {
    @Id
    @GeneratedValue(strategy = GenerationType.SEQUENCE, generator = "holdings")
    @SequenceGenerator(name = "holdings", sequenceName = "holdings_holding_id_seq", allocationSize = 1)
    @Column(name = "holding_id")
    private Long holdingId;
    @ManyToOne(fetch = FetchType.LAZY)
    @JoinColumn(name = "account_id")
    private AccountRow account;
    @ManyToOne(fetch = FetchType.LAZY)
    @JoinColumn(name = "symbol")
    private QuoteRow quote;
    @Column(name = "symbol", insertable = false, updatable = false)
    private String symbol;
    private long quantity;
    @Column(name = "purchase_price")
    private BigDecimal purchasePrice;
    @Column(name = "purchase_time")
    private Instant purchaseTime;
    @Column(name = "being_sold")
    private boolean beingSold;

    protected HoldingRow() {
    }

    HoldingRow(AccountRow account, QuoteRow quote, Order buy, Instant now) {
        this.account = account;
        this.quote = quote;
        quantity = buy.quantity();
        purchasePrice = buy.price();
        purchaseTime = now;
    }

    long holdingId() {
        return holdingId;
    }

    void markBeingSold() {
        beingSold = true;
    }

    HeldShares shares() {
        return new HeldShares(holdingId, symbol, quantity, beingSold);
    }

    Holding holding() {
        return holding(quote.price());
    }

    /** With the price that was read beside the row. */
    Holding holding(BigDecimal price) {
        return new Holding(holdingId, symbol, quantity, purchasePrice, purchaseTime, price, beingSold);
    }
}
