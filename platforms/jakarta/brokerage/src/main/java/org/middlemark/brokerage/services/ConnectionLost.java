package org.middlemark.brokerage.services;

/** The event that an operation was unavailable: its connection to the database may be lost, and others with it. */
public record ConnectionLost() {
}
