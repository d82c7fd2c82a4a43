package org.middlemark.brokerage.pages;

import org.middlemark.brokerage.errors.Refusal;
import org.springframework.web.servlet.ModelAndView;

/** A form that is shown again with the reason why it was refused. */
final class RefusedForm {

    private RefusedForm() {
    }

    /** Returns the page with the message; throws the refusal again when the fault is not in the form. */
    static ModelAndView of(Refusal refusal, String view) {
        if (refusal.code().isFailure()) {
            throw refusal;
        }
        return new ModelAndView(view, refusal.code().status()).addObject("message", refusal.getMessage());
    }
}
