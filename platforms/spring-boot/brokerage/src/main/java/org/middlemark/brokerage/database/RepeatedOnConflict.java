package org.middlemark.brokerage.database;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.dao.PessimisticLockingFailureException;
import org.springframework.resilience.annotation.Retryable;

/**
 * A unit of work that is repeated, at most five times, when the database has ended it by a deadlock or a serialization failure, after a
 * pause of 5 to 50 ms: a part of the jitter is added to the delay. No attempt begins after 5 s: one may take 10 s, and nobody waits longer
 * than 15 s.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
@Retryable(includes = PessimisticLockingFailureException.class, maxRetries = 5, delay = 5, jitter = 45, timeout = 5_000)
public @interface RepeatedOnConflict {
}
