package org.middlemark.petstore.web;

import jakarta.servlet.ServletException;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.middlemark.pages.Page;

/** Ends the session, also of somebody who is not signed in. */
@WebServlet("/sign-out")
public class SignOutPage extends Page {
    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        Visits.signOut(request);
        show("signed-out", request, response);
    }
}
