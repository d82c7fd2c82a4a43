package org.middlemark.brokerage.web;

import jakarta.inject.Inject;
import jakarta.servlet.ServletException;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.middlemark.brokerage.domain.Limits;
import org.middlemark.pages.Page;
import org.middlemark.values.WholeNumber;

/** Buys, and confirms the order. */
@WebServlet("/buy")
public class BuyPage extends Page {
    private final ServicesInReach services;

    @Inject
    public BuyPage(ServicesInReach services) {
        this.services = services;
    }

    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        long quantity = WholeNumber.typed(value(request, "quantity")).orElseThrow(Limits::quantity);
        request.setAttribute("order", services.services().buy(LogIn.user(request), value(request, "symbol"), quantity));
        show("order", request, response);
    }
}
