package org.middlemark.petstore.web;

import jakarta.inject.Inject;
import jakarta.servlet.ServletException;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.middlemark.pages.Page;
import org.middlemark.petstore.services.Shop;

/** A product with its items. */
@WebServlet("/product")
public class ProductPage extends Page {
    private final Shop shop;

    @Inject
    public ProductPage(Shop shop) {
        this.shop = shop;
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        request.setAttribute("found", shop.product(value(request, "product_id")));
        show("product", request, response);
    }
}
