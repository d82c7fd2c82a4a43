package org.middlemark.brokerage.web;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpSession;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What another request that logs out meanwhile does to a session: a method of it, or asking for it, throws. */
class UserFilterTest {
    private final Map<String, Object> attributes = new HashMap<>();

    @ParameterizedTest
    @ValueSource(strings = {"getSession", "getAttribute"})
    void whoseSessionEndsMeanwhileIsNobody(String throwing) throws IOException, ServletException {
        attributes.put(LogIn.USER, "whoever was there before");
        boolean[] passed = {false};
        new UserFilter().doFilter(request("/glossary", throwing), null, (asked, answered) -> passed[0] = true);
        assertTrue(passed[0]);
        assertNull(attributes.get(LogIn.USER));
    }

    @ParameterizedTest
    @ValueSource(strings = {"getSession", "getAttribute"})
    void whoseSessionEndsMeanwhileIsLedToTheWelcomePage(String throwing) throws IOException, ServletException {
        List<Object> answer = new ArrayList<>();
        HttpServletResponse response = (HttpServletResponse) Proxy.newProxyInstance(getClass().getClassLoader(),
                new Class<?>[] {HttpServletResponse.class}, (proxy, method, arguments) -> {
                    answer.addAll(List.of(arguments));
                    return null;
                });
        new UserFilter().doFilter(request("/home", throwing), response, (asked, answered) -> answer.add("a page"));
        assertEquals(List.of(303, "Location", "/"), answer);
    }

    @ParameterizedTest
    @ValueSource(strings = {"getSession", "invalidate"})
    void whoseSessionEndsMeanwhileCanLogOut(String throwing) {
        attributes.put(LogIn.USER, "uid:1");
        LogIn.end(request("/logout", throwing));
        assertNull(attributes.get(LogIn.USER));
    }

    @Test
    void aPageGetsTheUserOfTheSession() throws IOException, ServletException {
        new UserFilter().doFilter(request("/home", "nothing"), null, (asked, answered) -> { });
        assertEquals("uid:1", attributes.get(LogIn.USER));
    }

    private HttpServletRequest request(String path, String throwing) {
        HttpSession session = proxy(HttpSession.class, throwing, Map.of("getAttribute", "uid:1"));
        return proxy(HttpServletRequest.class, throwing, Map.of("getSession", session, "getServletPath", path));
    }

    private <T> T proxy(Class<T> type, String throwing, Map<String, Object> results) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type},
                (proxy, method, arguments) -> {
                    if (method.getName().equals(throwing)) {
                        throw new IllegalStateException("the session has ended");
                    }
                    if (method.getName().equals("setAttribute")) {
                        attributes.put((String) arguments[0], arguments[1]);
                    }
                    if (method.getName().equals("removeAttribute")) {
                        attributes.remove(arguments[0]);
                    }
                    return results.get(method.getName());
                }));
    }
}
