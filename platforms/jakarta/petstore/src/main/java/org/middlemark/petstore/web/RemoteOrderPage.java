package org.middlemark.petstore.web;

import jakarta.inject.Inject;
import jakarta.servlet.ServletException;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.middlemark.pages.Page;
import org.middlemark.petstore.domain.Limits;
import org.middlemark.petstore.soap.RemoteOrders;

/** Whose an order is, as the web service of a server answers. */
@WebServlet("/remote-order")
public class RemoteOrderPage extends Page {
    private final RemoteOrders remote;

    @Inject
    public RemoteOrderPage(RemoteOrders remote) {
        this.remote = remote;
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        String sent = value(request, "order_id");
        if (!sent.isEmpty()) {
            long orderId = Limits.orderId(sent);
            request.setAttribute("orderId", orderId);
            request.setAttribute("orderUser", remote.user(orderId));
        }
        show("remote-order", request, response);
    }
}
