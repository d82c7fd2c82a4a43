package org.middlemark.database;

import jakarta.ejb.ApplicationException;

/** The database refused or did not answer; the cause says what it said. The transaction is rolled back. */
@ApplicationException(rollback = true)
public class StoreFailure extends RuntimeException {
    public StoreFailure(Throwable cause) {
        super(cause);
    }
}
