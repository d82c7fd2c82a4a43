package org.middlemark.petstore.web;

import jakarta.inject.Inject;
import jakarta.servlet.ServletException;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.middlemark.pages.Page;
import org.middlemark.petstore.domain.Visit;
import org.middlemark.petstore.services.Shop;
import org.middlemark.refusals.Refusal;

/** The form to sign in. */
@WebServlet("/sign-in")
public class SignInPage extends Page {
    private final Shop shop;

    @Inject
    public SignInPage(Shop shop) {
        this.shop = shop;
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        show("sign-in", request, response);
    }

    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        String userId = value(request, "user_id");
        try {
            Visit visit = Visits.signIn(request, shop.signIn(userId, value(request, "password")));
            redirect(visit.pieces().isEmpty() ? "/" : "/cart", response);
        } catch (Refusal refusal) {
            request.setAttribute("typedUserId", userId);
            showAgain(refusal, "sign-in", request, response);
        }
    }
}
