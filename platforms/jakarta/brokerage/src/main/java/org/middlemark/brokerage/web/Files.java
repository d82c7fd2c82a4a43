package org.middlemark.brokerage.web;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.servlet.ServletContext;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The style sheet and the images. */
@ApplicationScoped
public class Files {
    /** The addresses there are, and what their content is. */
    static final Map<String, String> TYPES = Map.of("/style.css", "text/css; charset=utf-8",
            "/images/mark.svg", "image/svg+xml", "/images/up.svg", "image/svg+xml",
            "/images/down.svg", "image/svg+xml", "/images/level.svg", "image/svg+xml");

    @Inject
    private ServletContext application;
    private final Map<String, byte[]> contents = new ConcurrentHashMap<>();

    void send(String path, HttpServletResponse response) throws IOException {
        byte[] content = contents.computeIfAbsent(path, this::read);
        response.setContentType(TYPES.get(path));
        response.setHeader("Cache-Control", "max-age=3600");
        response.setContentLength(content.length);
        response.getOutputStream().write(content);
    }

    private byte[] read(String path) {
        try (InputStream file = application.getResourceAsStream(path)) {
            return file.readAllBytes();
        } catch (IOException failure) {
            throw new IllegalStateException("the archive's " + path + " cannot be read", failure);
        }
    }
}
