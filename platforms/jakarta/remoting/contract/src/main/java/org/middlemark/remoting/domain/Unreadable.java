package org.middlemark.remoting.domain;

import java.util.function.Supplier;
import org.middlemark.refusals.Refusal;

/**
 * A message that is not as the contract has it. In a request it is {@code invalid_input}, in an answer it is no
 * answer.
 */
public class Unreadable extends RuntimeException {
    public Unreadable(String message) {
        super(message);
    }

    /** Reads a request. */
    public static <T> T request(Supplier<T> reading) {
        try {
            return reading.get();
        } catch (Unreadable unreadable) {
            throw Refusal.invalid(unreadable.getMessage());
        }
    }
}
