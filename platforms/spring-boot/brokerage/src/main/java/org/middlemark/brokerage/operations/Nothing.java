package org.middlemark.brokerage.operations;

/** The answer of an operation that has nothing to tell: an object without keys. */
public record Nothing() {
}
