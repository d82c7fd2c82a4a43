package org.middlemark.petstore.web;

import jakarta.inject.Inject;
import jakarta.servlet.ServletException;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.middlemark.pages.Page;
import org.middlemark.petstore.services.Shop;

/** The first page of a checkout: the cart. */
@WebServlet("/checkout")
public class SummaryPage extends Page {
    private final Shop shop;

    @Inject
    public SummaryPage(Shop shop) {
        this.shop = shop;
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        request.setAttribute("cart", shop.summary(Visits.begun(request).pieces()));
        show("summary", request, response);
    }
}
