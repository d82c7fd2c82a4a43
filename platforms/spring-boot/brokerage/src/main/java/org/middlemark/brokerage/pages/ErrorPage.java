package org.middlemark.brokerage.pages;

import jakarta.servlet.http.HttpServletRequest;
import org.middlemark.brokerage.errors.Refusal;
import org.springframework.http.HttpStatus;
import org.springframework.web.servlet.ModelAndView;

/** The page that tells an error. */
final class ErrorPage {

    private ErrorPage() {
    }

    static ModelAndView of(Refusal refusal, HttpServletRequest request) {
        return of(refusal.code().status(), refusal.getMessage(), request);
    }

    static ModelAndView of(HttpStatus status, String message, HttpServletRequest request) {
        ModelAndView page = new ModelAndView("error", status);
        page.addObject("heading", status.value() + " " + status.getReasonPhrase());
        page.addObject("message", message);
        page.addObject(UserSession.USER, UserSession.user(request));
        return page;
    }
}
