package org.middlemark.brokerage.json;

import org.middlemark.brokerage.domain.Refusal;

/** A refusal as it is sent (application/problem+json). */
public record Problem(String type, String title, long status, String detail, String code) {
    private static final String NO_TYPE = "about:blank";

    static Problem of(Refusal refusal) {
        String code = refusal.code().word();
        return new Problem(NO_TYPE, code, refusal.code().httpStatus(), refusal.getMessage(), code);
    }
}
