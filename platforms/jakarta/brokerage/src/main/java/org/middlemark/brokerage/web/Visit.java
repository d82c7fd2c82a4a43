package org.middlemark.brokerage.web;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Optional;

/** One request for a page: what came with it and how it is answered. */
final class Visit {
    private static final String COOKIE = "session";

    private final HttpServletRequest request;
    private final HttpServletResponse response;
    private final Sessions sessions;
    private final String sessionId;
    private Optional<String> user;
    private Form form;

    Visit(HttpServletRequest request, HttpServletResponse response, Sessions sessions) {
        this.request = request;
        this.response = response;
        this.sessions = sessions;
        sessionId = cookie(request);
        user = sessions.user(sessionId);
    }

    /** Reads the form; refused when it cannot be read. */
    void readForm() throws IOException {
        form = Form.read(request);
    }

    /** A value of the form; the empty text when it is missing. */
    String value(String name) {
        return form.value(name);
    }

    /** Who is logged in. */
    Optional<String> user() {
        return user;
    }

    /** Who is logged in, on a page that needs a session. */
    String userId() {
        return user.orElseThrow();
    }

    /** Something for the template. */
    Visit with(String name, Object value) {
        request.setAttribute(name, value);
        return this;
    }

    /** Answers with a page. */
    void show(String page) throws IOException, ServletException {
        show(HttpServletResponse.SC_OK, page);
    }

    /** Answers with a page and another status than 200. */
    void show(int status, String page) throws IOException, ServletException {
        response.setStatus(status);
        response.setContentType("text/html; charset=utf-8");
        response.setHeader("Cache-Control", "no-store");
        request.setAttribute("user", user.orElse(null));
        request.getRequestDispatcher("/WEB-INF/pages/" + page + ".jsp").forward(request, response);
    }

    /** Sends the browser to another page. */
    void redirect(String path) {
        response.setStatus(HttpServletResponse.SC_SEE_OTHER);
        response.setHeader("Location", path);
        response.setHeader("Cache-Control", "no-store");
    }

    /** Says which methods the address answers. */
    void allow(String methods) {
        response.setHeader("Allow", methods);
    }

    /** Ends the session that the browser had and begins another. */
    void logIn(String userId) {
        sessions.end(sessionId);
        setCookie(sessions.begin(userId), -1);
    }

    void logOut() {
        sessions.end(sessionId);
        user = Optional.empty();
        setCookie("", 0);
    }

    private void setCookie(String value, int maxAge) {
        Cookie cookie = new Cookie(COOKIE, value);
        cookie.setPath("/");
        cookie.setHttpOnly(true);
        cookie.setAttribute("SameSite", "Lax");
        cookie.setMaxAge(maxAge);
        response.addCookie(cookie);
    }

    private static String cookie(HttpServletRequest request) {
        Cookie[] cookies = request.getCookies();
        if (cookies != null) {
            for (Cookie cookie : cookies) {
                if (COOKIE.equals(cookie.getName())) {
                    return cookie.getValue();
                }
            }
        }
        return "";
    }
}
