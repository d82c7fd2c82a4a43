package org.middlemark.petstore.web;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Set;
import org.middlemark.pages.Page;
import org.middlemark.petstore.domain.Customer;
import org.middlemark.petstore.domain.Visit;

/** Tells the pages who has signed in; from those that need somebody, whoever has not is led to the sign-in page. */
public class CustomerFilter extends HttpFilter {
    private static final Set<String> FOR_CUSTOMERS =
            Set.of("/checkout", "/checkout/billing", "/checkout/confirm", "/order");

    @Override
    protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        Customer customer = Visits.find(request).flatMap(Visit::customer).orElse(null);
        if (customer == null && FOR_CUSTOMERS.contains(Page.path(request))) {
            Page.redirect("/sign-in", response);
        } else {
            request.setAttribute(Visits.CUSTOMER, customer);
            chain.doFilter(request, response);
        }
    }
}
