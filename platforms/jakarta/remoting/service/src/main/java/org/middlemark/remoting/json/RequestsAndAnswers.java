package org.middlemark.remoting.json;

import jakarta.json.bind.Jsonb;
import jakarta.ws.rs.ext.ContextResolver;

/** How JAX-RS reads requests and writes answers. */
public class RequestsAndAnswers implements ContextResolver<Jsonb> {
    private final Jsonb jsonb = JsonText.ofRequests();

    @Override
    public Jsonb getContext(Class<?> type) {
        return jsonb;
    }
}
