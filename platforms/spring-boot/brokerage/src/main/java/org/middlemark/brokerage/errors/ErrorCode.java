package org.middlemark.brokerage.errors;

import java.util.Locale;
import org.springframework.http.HttpStatus;

/** Why a request is refused: the table "Errors" of the specification. */
public enum ErrorCode {
    INVALID_INPUT(HttpStatus.BAD_REQUEST),
    AUTHENTICATION_FAILED(HttpStatus.FORBIDDEN),
    UNKNOWN_USER(HttpStatus.NOT_FOUND),
    UNKNOWN_SYMBOL(HttpStatus.NOT_FOUND),
    UNKNOWN_HOLDING(HttpStatus.NOT_FOUND),
    USER_EXISTS(HttpStatus.CONFLICT),
    INSUFFICIENT_FUNDS(HttpStatus.CONFLICT),
    ALREADY_BEING_SOLD(HttpStatus.CONFLICT),
    UNAVAILABLE(HttpStatus.SERVICE_UNAVAILABLE),
    INTERNAL(HttpStatus.INTERNAL_SERVER_ERROR);

    private final HttpStatus status;

    ErrorCode(HttpStatus status) {
        this.status = status;
    }

    public HttpStatus status() {
        return status;
    }

    /** The code as every interface shows it, such as {@code user_exists}. */
    public String code() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Whether it is nobody's fault outside. */
    public boolean isFailure() {
        return status.is5xxServerError();
    }

    /** Returns the error of a code that a service has answered; throws IllegalArgumentException for any other text. */
    public static ErrorCode of(String code) {
        return valueOf(code.toUpperCase(Locale.ROOT));
    }
}
