package org.middlemark.brokerage.processing;

import jakarta.ejb.ApplicationException;
import java.util.List;
import org.middlemark.brokerage.domain.OrderMessage;

/** Orders that cannot be completed together, because one of them can never be. Their transaction is rolled back. */
@ApplicationException(rollback = true)
public class CannotComplete extends RuntimeException {
    private final List<OrderMessage> messages;

    CannotComplete(List<OrderMessage> messages, Throwable cause) {
        super(cause);
        this.messages = messages;
    }

    /** The messages of the orders, in the order in which they were taken. */
    List<OrderMessage> messages() {
        return messages;
    }
}
