package org.middlemark.petstore.web;

import jakarta.inject.Inject;
import jakarta.servlet.ServletException;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.middlemark.pages.Page;
import org.middlemark.petstore.domain.Billing;
import org.middlemark.petstore.domain.Customer;
import org.middlemark.petstore.domain.Visit;
import org.middlemark.petstore.services.Shop;

/** The second page of a checkout: addresses, and the card in a form. */
@WebServlet("/checkout/billing")
public class BillingPage extends Page {
    private final Shop shop;

    @Inject
    public BillingPage(Shop shop) {
        this.shop = shop;
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        Visit visit = Visits.begun(request);
        if (visit.pieces().isEmpty()) {
            throw Visit.emptyCart();
        }
        Customer customer = (Customer) request.getAttribute(Visits.CUSTOMER);
        Billing billing = shop.billing(customer.userId());
        visit.show(billing);
        request.setAttribute("billing", billing);
        request.setAttribute("card", billing.card());
        show("billing", request, response);
    }
}
