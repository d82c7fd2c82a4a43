package org.middlemark.brokerage.pages;

import jakarta.servlet.http.HttpServletRequest;
import org.middlemark.brokerage.errors.Refusal;
import org.middlemark.brokerage.operations.Brokerage;
import org.middlemark.brokerage.operations.Request;
import org.middlemark.brokerage.settings.WebTier;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.BindParam;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.servlet.ModelAndView;

/** Registering. */
@Controller
@WebTier
class RegisterController {

    private static final String TYPED = "typed";

    private final Brokerage services;
    private final UserSession session;

    RegisterController(@Qualifier("services") Brokerage services, UserSession session) {
        this.services = services;
        this.session = session;
    }

    @GetMapping("/register")
    String form(Model model) {
        model.addAttribute(TYPED, new Form("", "", "", "", "", "", "", ""));
        return "register";
    }

    @PostMapping("/register")
    ModelAndView register(@ModelAttribute(TYPED) Form form, HttpServletRequest request) {
        try {
            form.checkPasswords();
            services.register(form.request());
        } catch (Refusal refusal) {
            return RefusedForm.of(refusal, "register").addObject(TYPED, form);
        }
        session.begin(request, form.userId());
        return new ModelAndView("redirect:/home");
    }

    /** What was typed. What the browser has not sent is empty. */
    record Form(@BindParam("user_id") String userId, String password, @BindParam("confirm_password") String confirmPassword,
            @BindParam("full_name") String fullName, String address, String email, @BindParam("credit_card") String creditCard,
            @BindParam("open_balance") String openBalance) {

        Form {
            userId = Typed.text(userId);
            password = Typed.text(password);
            confirmPassword = Typed.text(confirmPassword);
            fullName = Typed.text(fullName);
            address = Typed.text(address);
            email = Typed.text(email);
            creditCard = Typed.text(creditCard);
            openBalance = Typed.text(openBalance);
        }

        void checkPasswords() {
            if (!password.equals(confirmPassword)) {
                throw Refusal.invalidInput("The two passwords differ.");
            }
        }

        Request.Registration request() {
            return new Request.Registration(userId, password, fullName, address, email, creditCard, Typed.amount(openBalance));
        }
    }
}
