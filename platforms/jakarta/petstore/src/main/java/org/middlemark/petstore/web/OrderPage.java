package org.middlemark.petstore.web;

import jakarta.inject.Inject;
import jakarta.servlet.ServletException;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Optional;
import java.util.UUID;
import org.middlemark.pages.Page;
import org.middlemark.petstore.domain.Codes;
import org.middlemark.petstore.domain.Confirmation;
import org.middlemark.petstore.domain.Customer;
import org.middlemark.petstore.domain.Limits;
import org.middlemark.petstore.domain.Order;
import org.middlemark.petstore.domain.Visit;
import org.middlemark.petstore.services.Shop;

/** The last page of a checkout, which places the order, and any order of the customer later. */
@WebServlet("/order")
public class OrderPage extends Page {
    private final Shop shop;

    @Inject
    public OrderPage(Shop shop) {
        this.shop = shop;
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        show(shop.order(Limits.orderId(value(request, "order_id")), userId(request)), request, response);
    }

    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        Visit visit = Visits.begun(request);
        UUID orderKey = orderKey(value(request, "order_key"));
        Optional<Confirmation> confirmed = visit.confirmed(orderKey);
        Order order = confirmed.isPresent() ? shop.place(confirmed.get()) : shop.placed(orderKey, userId(request));
        visit.placed(orderKey);
        show(order, request, response);
    }

    private static String userId(HttpServletRequest request) {
        return ((Customer) request.getAttribute(Visits.CUSTOMER)).userId();
    }

    private static UUID orderKey(String sent) {
        try {
            return UUID.fromString(sent);
        } catch (IllegalArgumentException malformed) {
            throw Codes.checkoutEnded();
        }
    }

    private static void show(Order order, HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        request.setAttribute("order", order);
        show("placed", request, response);
    }
}
