package org.middlemark.petstore.web;

import jakarta.inject.Inject;
import jakarta.servlet.ServletException;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Map;
import org.middlemark.pages.Page;
import org.middlemark.petstore.domain.Visit;
import org.middlemark.petstore.services.Shop;

/** The cart, which somebody may fill without having signed in. */
@WebServlet("/cart")
public class CartPage extends Page {
    private final Shop shop;

    @Inject
    public CartPage(Shop shop) {
        this.shop = shop;
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        show(Visits.find(request).map(Visit::pieces).map(pieces -> (Map<String, Integer>) pieces).orElse(Map.of()),
                request, response);
    }

    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        String itemId = value(request, "item_id");
        shop.requireItem(itemId);
        Visit visit = Visits.begun(request);
        visit.add(itemId);
        show(visit.pieces(), request, response);
    }

    private void show(Map<String, Integer> pieces, HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        request.setAttribute("cart", shop.cart(pieces));
        show("cart", request, response);
    }
}
