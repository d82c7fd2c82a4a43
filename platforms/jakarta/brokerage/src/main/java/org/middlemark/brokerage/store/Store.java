package org.middlemark.brokerage.store;

/**
 * The rows of the brokerage, by table. Every call takes part in the caller's transaction. What is an operation of its
 * own may be called without one: the store begins one where it takes more than a statement.
 */
public interface Store {
    Accounts accounts();

    Quotes quotes();

    Holdings holdings();

    Orders orders();

    /** Writes what the transaction has not written yet, so that a refusal of the database is heard before the end. */
    void flush();
}
