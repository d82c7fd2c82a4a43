package org.middlemark.brokerage.store.jpa;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.OneToMany;
import jakarta.persistence.SequenceGenerator;
import jakarta.persistence.Table;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import org.middlemark.brokerage.domain.Account;
import org.middlemark.brokerage.domain.Registration;

/** A row of the table accounts. */
@Entity
@Table(name = "accounts")
public class AccountRow {
    @Id
    @GeneratedValue(strategy = GenerationType.SEQUENCE, generator = "accounts")
    @SequenceGenerator(name = "accounts", sequenceName = "accounts_account_id_seq", allocationSize = 1)
    @Column(name = "account_id")
    private Long accountId;
    @Column(name = "user_id")
    private String userId;
    @Column(name = "creation_time")
    private Instant creationTime;
    @Column(name = "open_balance")
    private BigDecimal openBalance;
    private BigDecimal balance;
    @Column(name = "login_count")
    private long loginCount;
    @Column(name = "logout_count")
    private long logoutCount;
    @Column(name = "last_login")
    private Instant lastLogin;
    @OneToMany(mappedBy = "account")
    private List<HoldingRow> holdings;
    @OneToMany(mappedBy = "account")
    private List<OrderRow> orders;

    protected AccountRow() {
    }

    AccountRow(Registration registration, Instant now) {
        userId = registration.profile().userId();
        creationTime = now;
        openBalance = registration.openBalance();
        balance = registration.openBalance();
        loginCount = 1;
        lastLogin = now;
    }

    void credit(BigDecimal amount) {
        balance = balance.add(amount);
    }

    Account account() {
        return new Account(accountId, userId, creationTime, openBalance, balance, loginCount, logoutCount, lastLogin);
    }
}
