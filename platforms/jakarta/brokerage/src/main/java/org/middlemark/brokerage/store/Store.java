package org.middlemark.brokerage.store;

/** The rows of the brokerage, by table. Every call takes part in the caller's transaction. */
public interface Store {
    Accounts accounts();

    Quotes quotes();

    Holdings holdings();

    Orders orders();
}
