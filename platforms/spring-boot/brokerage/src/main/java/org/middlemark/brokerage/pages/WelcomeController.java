package org.middlemark.brokerage.pages;

import jakarta.servlet.http.HttpServletRequest;
import org.middlemark.brokerage.errors.Refusal;
import org.middlemark.brokerage.operations.Brokerage;
import org.middlemark.brokerage.operations.Request;
import org.middlemark.brokerage.settings.WebTier;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.SessionAttribute;
import org.springframework.web.servlet.ModelAndView;

/** The welcome page, logging in and logging out. */
@Controller
@WebTier
class WelcomeController {

    private static final String TYPED = "typed";

    private final Brokerage services;
    private final UserSession session;

    WelcomeController(@Qualifier("services") Brokerage services, UserSession session) {
        this.services = services;
        this.session = session;
    }

    @GetMapping("/")
    String welcome(Model model) {
        model.addAttribute(TYPED, "");
        return "welcome";
    }

    @PostMapping("/login")
    ModelAndView logIn(@RequestParam(name = "user_id", defaultValue = "") String userId, @RequestParam(defaultValue = "") String password,
            HttpServletRequest request) {
        try {
            services.login(new Request.Login(userId, password));
        } catch (Refusal refusal) {
            return RefusedForm.of(refusal, "welcome").addObject(TYPED, userId);
        }
        session.begin(request, userId);
        return new ModelAndView("redirect:/home");
    }

    /** The session ends even when the services cannot count that. */
    @PostMapping("/logout")
    String logOut(@SessionAttribute(UserSession.USER) String user, HttpServletRequest request, Model model) {
        session.end(request);
        services.logout(new Request.User(user));
        model.addAttribute(UserSession.USER, null);
        model.addAttribute("message", "User " + user + " has logged out.");
        return welcome(model);
    }
}
