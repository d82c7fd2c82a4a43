package org.middlemark.brokerage.pages;

import org.middlemark.brokerage.accounts.Profile;
import org.middlemark.brokerage.errors.Refusal;
import org.middlemark.brokerage.operations.Brokerage;
import org.middlemark.brokerage.operations.Limits;
import org.middlemark.brokerage.operations.Request;
import org.middlemark.brokerage.settings.WebTier;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.BindParam;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.SessionAttribute;
import org.springframework.web.servlet.ModelAndView;

/** The account page: the account, the profile with its form, and orders. */
@Controller
@WebTier
class AccountController {

    private static final String VIEW = "account";
    private static final String TYPED = "typed";
    private static final long LAST_ORDERS = 5;

    private final Brokerage services;
    private final Alerts alerts;

    AccountController(@Qualifier("services") Brokerage services, Alerts alerts) {
        this.services = services;
        this.alerts = alerts;
    }

    @GetMapping("/account")
    String account(@SessionAttribute(UserSession.USER) String user, @RequestParam(defaultValue = "") String orders, Model model) {
        model.addAttribute(TYPED, services.getProfile(new Request.User(user)));
        return page(user, "all".equals(orders), model);
    }

    @PostMapping("/account")
    ModelAndView update(@SessionAttribute(UserSession.USER) String user, @ModelAttribute("form") Form form, Model model) {
        try {
            services.updateProfile(form.request(user));
        } catch (Refusal refusal) {
            ModelAndView refused = RefusedForm.of(refusal, VIEW).addObject(TYPED, form.profile(user));
            page(user, false, model);
            return refused;
        }
        return new ModelAndView("redirect:/account");
    }

    private String page(String user, boolean all, Model model) {
        model.addAttribute("account", services.getAccount(new Request.User(user)));
        model.addAttribute("orders", services.getOrders(new Request.LastOrders(user, all ? Limits.MAX_ORDERS : LAST_ORDERS)).orders());
        model.addAttribute("all", all);
        alerts.add(user, model);
        return VIEW;
    }

    /** What was typed. What the browser has not sent is empty. */
    record Form(@BindParam("full_name") String fullName, String address, String email, @BindParam("credit_card") String creditCard,
            String password) {

        Form {
            fullName = Typed.text(fullName);
            address = Typed.text(address);
            email = Typed.text(email);
            creditCard = Typed.text(creditCard);
            password = Typed.text(password);
        }

        Request.ProfileUpdate request(String user) {
            return new Request.ProfileUpdate(user, fullName, address, email, creditCard, password);
        }

        Profile profile(String user) {
            return new Profile(user, fullName, address, email, creditCard);
        }
    }
}
