package org.middlemark.spice.contents;

import jakarta.servlet.ServletException;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;

/** The handler: writes the page as it stands. */
@WebServlet("/handler")
public class PageServlet extends HttpServlet {
    private byte[] page;

    @Override
    public void init() throws ServletException {
        try (InputStream file = PageServlet.class.getResourceAsStream("/page.html")) {
            page = file.readAllBytes();
        } catch (IOException failure) {
            throw new ServletException("the archive's page.html cannot be read", failure);
        }
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        response.setContentType("text/html; charset=utf-8");
        response.setContentLength(page.length);
        response.getOutputStream().write(page);
    }
}
