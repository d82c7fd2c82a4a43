package org.middlemark.brokerage.services;

/** The event that an operation has lost its connection to the database, and others may have, too. */
public record ConnectionLost() {
}
