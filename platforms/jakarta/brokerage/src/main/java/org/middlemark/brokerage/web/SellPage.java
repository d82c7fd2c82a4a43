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

/** Sells a holding, and confirms the order. */
@WebServlet("/sell")
public class SellPage extends Page {
    private final ServicesInReach services;

    @Inject
    public SellPage(ServicesInReach services) {
        this.services = services;
    }

    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        long holdingId = WholeNumber.typed(value(request, "holding_id")).orElseThrow(Limits::holdingId);
        request.setAttribute("order", services.services().sell(LogIn.user(request), holdingId));
        show("order", request, response);
    }
}
