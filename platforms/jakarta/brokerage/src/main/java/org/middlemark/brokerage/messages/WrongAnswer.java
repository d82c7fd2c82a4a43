package org.middlemark.brokerage.messages;

/** The services have answered something that their description does not allow: no answer at all for the web tier. */
public final class WrongAnswer extends RuntimeException {
    public WrongAnswer(String what) {
        super(what);
    }

    public WrongAnswer(String what, Throwable cause) {
        super(what, cause);
    }
}
