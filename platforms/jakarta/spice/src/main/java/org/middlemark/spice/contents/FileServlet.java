package org.middlemark.spice.contents;

import jakarta.inject.Inject;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.middlemark.spice.settings.Settings;

/** Sends the files of the set as they are. */
@WebServlet("/files/*")
public class FileServlet extends HttpServlet {
    /** Names of files of the set: what does not look like one is not looked for. */
    private static final Pattern NAME = Pattern.compile("/[0-9]+/[0-9]+\\.html");

    private final Path site;

    @Inject
    public FileServlet(Settings settings) {
        site = settings.site();
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        String name = request.getPathInfo();
        if (name == null || !NAME.matcher(name).matches()) {
            response.sendError(HttpServletResponse.SC_NOT_FOUND);
            return;
        }
        try {
            send(site.resolve(name.substring(1)), response);
        } catch (NoSuchFileException absent) {
            response.sendError(HttpServletResponse.SC_NOT_FOUND);
        }
    }

    private static void send(Path file, HttpServletResponse response) throws IOException {
        response.setContentLengthLong(Files.size(file));
        response.setContentType("text/html; charset=utf-8");
        Files.copy(file, response.getOutputStream());
    }
}
