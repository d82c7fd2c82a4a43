package org.middlemark.petstore.web;

import jakarta.inject.Inject;
import jakarta.servlet.ServletException;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.middlemark.pages.Page;
import org.middlemark.petstore.domain.Limits;
import org.middlemark.petstore.services.Shop;

/** Products whose name contains a text. */
@WebServlet("/search")
public class SearchPage extends Page {
    private final Shop shop;

    @Inject
    public SearchPage(Shop shop) {
        this.shop = shop;
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        String text = value(request, "text");
        request.setAttribute("listing", shop.search(text, Limits.page(value(request, "page"))));
        request.setAttribute("text", text);
        show("search", request, response);
    }
}
