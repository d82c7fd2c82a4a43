package org.middlemark.life;

import jakarta.inject.Inject;
import jakarta.servlet.ServletException;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;
import java.util.Map;

/** Says what this process is and which settings are in effect. */
@WebServlet("/about")
public class AboutServlet extends HttpServlet {
    private final Application application;
    private About about;

    @Inject
    public AboutServlet(Application application) {
        this.application = application;
    }

    @Override
    public void init() throws ServletException {
        try (InputStream commit = getServletContext().getResourceAsStream("/WEB-INF/classes/commit.txt")) {
            about = About.read(application, getServletContext().getServerInfo(), commit, Map.of("Jakarta EE", "10"));
        } catch (IOException failure) {
            throw new ServletException("/about cannot be made", failure);
        }
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        response.setContentType("application/json");
        response.getOutputStream().write(about.json());
    }
}
