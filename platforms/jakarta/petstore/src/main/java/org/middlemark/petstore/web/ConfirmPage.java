package org.middlemark.petstore.web;

import jakarta.servlet.ServletException;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Optional;
import org.middlemark.pages.Page;
import org.middlemark.petstore.domain.Billing;
import org.middlemark.petstore.domain.Card;
import org.middlemark.petstore.domain.Codes;
import org.middlemark.petstore.domain.Limits;
import org.middlemark.petstore.domain.Visit;
import org.middlemark.refusals.Refusal;

/** The third page of a checkout: what the order will have, under a new order key. */
@WebServlet("/checkout/confirm")
public class ConfirmPage extends Page {
    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        Visit visit = Visits.begun(request);
        if (visit.pieces().isEmpty()) {
            throw Visit.emptyCart();
        }
        Optional<Billing> shown = visit.billing();
        if (shown.isEmpty()) {
            redirect("/checkout", response);
            return;
        }
        Card card = new Card(value(request, "card_type"), value(request, "card_number"),
                value(request, "card_expiration"));
        try {
            Limits.card(card);
            request.setAttribute("confirmation", visit.confirm(card).orElseThrow(Codes::checkoutEnded));
            show("confirm", request, response);
        } catch (Refusal refusal) {
            // also of a checkout that another request of the browser has ended meanwhile
            request.setAttribute("billing", shown.get());
            request.setAttribute("card", card);
            showAgain(refusal, "billing", request, response);
        }
    }
}
