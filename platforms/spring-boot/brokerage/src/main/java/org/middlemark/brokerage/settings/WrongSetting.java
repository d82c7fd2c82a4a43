package org.middlemark.brokerage.settings;

/** A variable that is missing, or has a value that is not allowed. The message names the variable, the value and what is allowed. */
public final class WrongSetting extends Exception {

    private static final long serialVersionUID = 1L;

    WrongSetting(String variable, String value, String allowed) {
        super(variable + (value.isEmpty() ? " is missing" : " is \"" + value + "\"") + ", allowed is: " + allowed);
    }
}
