package org.middlemark.remoting.client;

import com.sun.net.httpserver.HttpExchange;
import jakarta.json.bind.Jsonb;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.middlemark.refusals.Refusal;
import org.middlemark.remoting.json.JsonMessages.Failure;
import org.middlemark.remoting.json.JsonText;

/** Responses of the client. */
final class Responses {
    static final int OK = 200;
    static final int UNAVAILABLE = 503;
    static final String JSON = "application/json";

    private static final Jsonb FAILURES = JsonText.ofAnswers();
    private static final int NOT_FOUND = 404;
    private static final int NO_BODY = -1;

    private Responses() {
    }

    static void send(HttpExchange exchange, int status, String type, byte[] body) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", type);
        if ("HEAD".equals(exchange.getRequestMethod())) {
            exchange.sendResponseHeaders(status, NO_BODY);
        } else {
            exchange.sendResponseHeaders(status, body.length);
            exchange.getResponseBody().write(body);
        }
    }

    static void refuse(HttpExchange exchange, Refusal refusal) throws IOException {
        send(exchange, refusal.code().httpStatus(), JSON,
                FAILURES.toJson(Failure.of(refusal)).getBytes(StandardCharsets.UTF_8));
    }

    static void notFound(HttpExchange exchange) throws IOException {
        send(exchange, NOT_FOUND, "text/plain; charset=utf-8", "not found".getBytes(StandardCharsets.UTF_8));
    }

    /** Says that something is wrong, unless a response has begun. */
    static void internal(HttpExchange exchange, RuntimeException unforeseen) throws IOException {
        if (exchange.getResponseCode() == NO_BODY) {
            refuse(exchange, Refusal.internal(unforeseen));
        }
    }
}
