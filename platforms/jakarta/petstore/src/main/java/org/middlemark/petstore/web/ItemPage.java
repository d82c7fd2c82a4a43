package org.middlemark.petstore.web;

import jakarta.inject.Inject;
import jakarta.servlet.ServletException;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.middlemark.pages.Page;
import org.middlemark.petstore.services.Shop;

/** An item with its inventory now. */
@WebServlet("/item")
public class ItemPage extends Page {
    private final Shop shop;

    @Inject
    public ItemPage(Shop shop) {
        this.shop = shop;
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        request.setAttribute("stocked", shop.item(value(request, "item_id")));
        show("item", request, response);
    }
}
