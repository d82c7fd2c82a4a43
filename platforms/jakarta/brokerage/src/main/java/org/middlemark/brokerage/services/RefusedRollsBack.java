package org.middlemark.brokerage.services;

import jakarta.annotation.Resource;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.InvocationContext;
import jakarta.transaction.TransactionSynchronizationRegistry;
import org.middlemark.brokerage.domain.Refusal;

/**
 * Rolls the transaction back when an operation is refused. An exception marked as rolling back would do so too, but
 * servers also complain about it where there is no transaction, and a refusal is nothing to complain about.
 */
public class RefusedRollsBack {
    @Resource
    private TransactionSynchronizationRegistry transaction;

    @AroundInvoke
    Object invoke(InvocationContext operation) throws Exception {
        try {
            return operation.proceed();
        } catch (Refusal refusal) {
            if (transaction.getTransactionKey() != null) {
                transaction.setRollbackOnly();
            }
            throw refusal;
        }
    }
}
