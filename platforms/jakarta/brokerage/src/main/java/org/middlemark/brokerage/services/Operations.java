package org.middlemark.brokerage.services;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.util.function.Supplier;
import org.middlemark.database.Attempts;
import org.middlemark.refusals.Refusal;

/** Carries operations out in attempts, and counts them. */
@ApplicationScoped
public class Operations {
    @Inject
    private Counters counters;

    /** Each attempt is one call of {@code transaction}, which begins and ends a transaction of its own. */
    public <T> T carryOut(Supplier<T> transaction) {
        counters.asked();
        try {
            return Attempts.carryOut(transaction);
        } catch (Refusal refusal) {
            if (refusal.code().isFailure()) {
                counters.failed();
            }
            throw refusal;
        }
    }
}
