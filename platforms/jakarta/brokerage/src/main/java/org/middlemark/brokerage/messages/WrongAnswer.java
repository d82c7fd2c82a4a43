package org.middlemark.brokerage.messages;

/** The services have answered something that their description does not allow: no answer at all for the web tier. */
public final class WrongAnswer extends RuntimeException {
    /** What is wrong with the answer, in one line for the log. */
    public WrongAnswer(String what) {
        super(what);
    }

    /** The same, with the failure that showed it. */
    public WrongAnswer(String what, Throwable cause) {
        super(what, cause);
    }
}
