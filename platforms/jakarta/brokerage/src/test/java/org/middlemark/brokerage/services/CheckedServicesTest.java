package org.middlemark.brokerage.services;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.middlemark.refusals.Refusal;

class CheckedServicesTest {

    private final List<String> calls = new ArrayList<>();
    private final RemoteServices checked = new CheckedServices((RemoteServices) Proxy.newProxyInstance(
            getClass().getClassLoader(), new Class<?>[] {RemoteServices.class}, (proxy, method, arguments) -> {
                calls.add(method.getName());
                return null;
            }));

    @Test
    void valueOutsideItsLimitsCostsNoCall() {
        assertThrows(Refusal.class, () -> checked.login("uid:1", ""));
        assertThrows(Refusal.class, () -> checked.buy("uid:1", "s:1", 0));
        assertThrows(Refusal.class, () -> checked.getQuotes(List.of()));
        assertThrows(Refusal.class, () -> checked.sell("uid:1", 0));
        assertThrows(Refusal.class, () -> checked.getOrders("uid:1", 101));

        assertEquals(List.of(), calls);
    }

    @Test
    void everythingElseIsCalled() {
        checked.login("uid:1", "xxx");
        checked.buy("uid:1", "s:1", 1);
        checked.close();

        assertEquals(List.of("login", "buy", "close"), calls);
    }
}
