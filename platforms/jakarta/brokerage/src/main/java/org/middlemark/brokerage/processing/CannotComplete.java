package org.middlemark.brokerage.processing;

import jakarta.ejb.ApplicationException;
import org.middlemark.brokerage.domain.Code;
import org.middlemark.brokerage.services.Failures;

/** An order that no repetition will complete. The transaction is rolled back; it can be done without that order. */
@ApplicationException(rollback = true)
public class CannotComplete extends RuntimeException {
    private final long orderId;

    private CannotComplete(long orderId, Throwable cause) {
        super("order " + orderId + " cannot be completed: " + cause, cause);
        this.orderId = orderId;
    }

    /** What has become of an order: the failure itself when a later attempt may cure it. */
    static RuntimeException unlessCurable(long orderId, RuntimeException failure) {
        return isCurable(failure) ? failure : new CannotComplete(orderId, failure);
    }

    /** Whether a later attempt may go well: after a deadlock, without a connection, too late. */
    static boolean isCurable(RuntimeException failure) {
        return Failures.refusal(failure).code() == Code.UNAVAILABLE;
    }

    public long orderId() {
        return orderId;
    }
}
