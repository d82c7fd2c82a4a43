package org.middlemark.settings;

/**
 * A setting that the application cannot start with. The message is one line: the variable, its value, what is allowed.
 */
public class WrongSetting extends RuntimeException {
    public WrongSetting(String variable, String value, String allowed) {
        super(variable + (value.isEmpty() ? " is missing" : " is '" + value + "'") + "; allowed is " + allowed);
    }
}
