package org.middlemark.brokerage.process;

/** Asks something that the process needs, and throws any RuntimeException when it does not answer. */
@FunctionalInterface
public interface HealthCheck {

    void check();
}
