package org.middlemark.brokerage.web;

import static org.junit.jupiter.api.Assertions.assertEquals;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TrafficFilterTest {
    private final Traffic traffic = new Traffic();

    @Test
    void aPageIsCountedAfterItsAnswer() throws IOException, ServletException {
        new TrafficFilter(traffic).doFilter(request("/home"), null, (asked, answered) -> assertCounted(0, 0));
        assertCounted(1, 0);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/health", "/about", "/services/json/getQuote", "/services/soap"})
    void whatIsNoPageIsNotCounted(String path) throws IOException, ServletException {
        pass(request(path));
        pass(failed(path, 503));
        assertCounted(0, 0);
    }

    @ParameterizedTest
    @CsvSource({"404, 0", "500, 1", "503, 1"})
    void theErrorPageOfAPageCountsWhenItIsAFailure(int status, int errors) throws IOException, ServletException {
        pass(failed("/portfolio", status));
        assertCounted(0, errors);
    }

    private void pass(HttpServletRequest request) throws IOException, ServletException {
        new TrafficFilter(traffic).doFilter(request, null, (asked, answered) -> { });
    }

    private void assertCounted(int requests, int errors) {
        assertEquals(requests, traffic.requests());
        assertEquals(errors, traffic.requestErrors());
    }

    private static HttpServletRequest request(String path) {
        return request(DispatcherType.REQUEST, path, Map.of());
    }

    private static HttpServletRequest failed(String path, int status) {
        return request(DispatcherType.ERROR, "/WEB-INF/pages/error.jsp",
                Map.of(RequestDispatcher.ERROR_STATUS_CODE, status, RequestDispatcher.ERROR_REQUEST_URI, path));
    }

    private static HttpServletRequest request(DispatcherType type, String path, Map<String, Object> attributes) {
        return (HttpServletRequest) Proxy.newProxyInstance(TrafficFilterTest.class.getClassLoader(),
                new Class<?>[] {HttpServletRequest.class}, (proxy, method, arguments) -> switch (method.getName()) {
                    case "getDispatcherType" -> type;
                    case "getServletPath" -> path;
                    case "getAttribute" -> attributes.get(arguments[0]);
                    default -> null;
                });
    }
}
