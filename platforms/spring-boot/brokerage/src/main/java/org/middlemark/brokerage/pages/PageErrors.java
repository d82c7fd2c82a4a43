package org.middlemark.brokerage.pages;

import jakarta.servlet.http.HttpServletRequest;
import org.apache.tomcat.util.http.InvalidParameterException;
import org.middlemark.brokerage.errors.Refusal;
import org.middlemark.brokerage.settings.WebTier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.servlet.ModelAndView;

/** Error pages of what goes wrong while a page is made. */
@ControllerAdvice(basePackageClasses = PageErrors.class)
@WebTier
class PageErrors {

    private static final Logger LOG = LoggerFactory.getLogger(PageErrors.class);

    @ExceptionHandler
    ModelAndView refused(Refusal refusal, HttpServletRequest request) {
        return ErrorPage.of(refusal, request);
    }

    @ExceptionHandler
    ModelAndView unreadable(InvalidParameterException unreadable, HttpServletRequest request) {
        return ErrorPage.of(HttpStatus.BAD_REQUEST, "The form cannot be read.", request);
    }

    @ExceptionHandler
    ModelAndView failed(RuntimeException failure, HttpServletRequest request) {
        LOG.error("{} {} failed", request.getMethod(), request.getRequestURI(), failure);
        return ErrorPage.of(Refusal.internal(), request);
    }
}
