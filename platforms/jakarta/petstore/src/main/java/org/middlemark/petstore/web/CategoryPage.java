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

/** The products of a category. */
@WebServlet("/category")
public class CategoryPage extends Page {
    private final Shop shop;

    @Inject
    public CategoryPage(Shop shop) {
        this.shop = shop;
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        int page = Limits.page(value(request, "page"));
        request.setAttribute("found", shop.category(value(request, "category_id"), page));
        show("category", request, response);
    }
}
