package org.middlemark.pages;

import static org.junit.jupiter.api.Assertions.assertEquals;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ErrorPageFilterTest {
    @ParameterizedTest
    @CsvSource({"GET, GET", "POST, GET", "PUT, GET", "DELETE, GET", "PATCH, GET", "HEAD, HEAD"})
    void theErrorPageIsShownAsToAGetButForHead(String asked, String shown) throws IOException, ServletException {
        HttpServletRequest request = (HttpServletRequest) Proxy.newProxyInstance(getClass().getClassLoader(),
                new Class<?>[] {HttpServletRequest.class},
                (proxy, method, arguments) -> method.getName().equals("getMethod") ? asked : null);
        AtomicReference<String> method = new AtomicReference<>();
        new ErrorPageFilter().doFilter(request, null, (passed, response) ->
                method.set(((HttpServletRequest) passed).getMethod()));
        assertEquals(shown, method.get());
    }
}
