package org.middlemark.brokerage.pages;

import jakarta.servlet.http.HttpServletRequest;
import org.middlemark.brokerage.settings.WebTier;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ModelAttribute;

/** Puts the id of the user who is logged in into the model of every page, for its header. */
@ControllerAdvice(basePackageClasses = CurrentUser.class)
@WebTier
class CurrentUser {

    @ModelAttribute(UserSession.USER)
    String user(HttpServletRequest request) {
        return UserSession.user(request);
    }
}
