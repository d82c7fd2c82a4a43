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
import java.util.Optional;
import java.util.regex.Pattern;
import org.middlemark.spice.settings.Settings;

/** Sends the files of the set as they are; {@link HttpServlet} answers 304 by what it is told of their age. */
@WebServlet("/files/*")
public class FileServlet extends HttpServlet {
    private static final long UNKNOWN = -1;
    /** Names of files of the set: what does not look like one is not looked for. */
    private static final Pattern NAME = Pattern.compile("/[0-9]+/[0-9]+\\.html");

    private final Path site;

    @Inject
    public FileServlet(Settings settings) {
        site = settings.site();
    }

    @Override
    protected long getLastModified(HttpServletRequest request) {
        try {
            Optional<Path> file = file(request.getPathInfo());
            return file.isPresent() ? Files.getLastModifiedTime(file.get()).toMillis() : UNKNOWN;
        } catch (IOException unreadable) {
            return UNKNOWN;
        }
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        Optional<Path> file = file(request.getPathInfo());
        try {
            send(file.orElseThrow(() -> new NoSuchFileException(request.getPathInfo())), response);
        } catch (NoSuchFileException absent) {
            response.sendError(HttpServletResponse.SC_NOT_FOUND);
        }
    }

    /** The file of this name below {@code /files}; nothing when no file of the set has such a name. */
    private Optional<Path> file(String name) {
        return name != null && NAME.matcher(name).matches() ? Optional.of(site.resolve(name.substring(1)))
                : Optional.empty();
    }

    private static void send(Path file, HttpServletResponse response) throws IOException {
        response.setContentLengthLong(Files.size(file));
        response.setContentType("text/html; charset=utf-8");
        Files.copy(file, response.getOutputStream());
    }
}
