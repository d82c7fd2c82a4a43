package org.middlemark.pages;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Objects;
import org.middlemark.refusals.Refusal;

/** What the servlets of the pages have in common. A refusal that one of them lets out is answered by the error page. */
public abstract class Page extends HttpServlet {
    /** The name of the message among the values for the template. */
    public static final String MESSAGE = "message";

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        try {
            super.service(request, response);
        } catch (Refusal refusal) {
            request.setAttribute(MESSAGE, refusal.getMessage());
            response.sendError(refusal.code().httpStatus());
        }
    }

    /** The path of the address, decoded. */
    public static String path(HttpServletRequest request) {
        return request.getServletPath() + Objects.requireNonNullElse(request.getPathInfo(), "");
    }

    /** A value of the form or of the query; the empty text when it is missing. Refused when they cannot be read. */
    public static String value(HttpServletRequest request, String name) {
        try {
            return Objects.requireNonNullElse(request.getParameter(name), "");
        } catch (IllegalArgumentException malformed) {
            throw Refusal.invalid("The form cannot be read.");
        }
    }

    /** Answers with the page of a template, whose values are the request's attributes. */
    protected static void show(String page, HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        request.getRequestDispatcher("/WEB-INF/pages/" + page + ".jsp").forward(request, response);
    }

    /** Answers with a form again and why it was refused; what is not the user's fault is the error page. */
    protected static void showAgain(Refusal refusal, String page, HttpServletRequest request,
            HttpServletResponse response) throws ServletException, IOException {
        if (refusal.code().isFailure()) {
            throw refusal;
        }
        response.setStatus(refusal.code().httpStatus());
        request.setAttribute(MESSAGE, refusal.getMessage());
        show(page, request, response);
    }

    /** Sends the browser to another page. */
    public static void redirect(String path, HttpServletResponse response) {
        response.setStatus(HttpServletResponse.SC_SEE_OTHER);
        response.setHeader("Location", path);
    }
}
