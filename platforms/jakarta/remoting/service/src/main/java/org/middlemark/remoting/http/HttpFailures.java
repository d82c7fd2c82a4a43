package org.middlemark.remoting.http;

import jakarta.json.Json;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.middlemark.refusals.Refusal;

/** Refusals as HTTP has them. */
final class HttpFailures {
    private HttpFailures() {
    }

    static void write(HttpServletResponse response, Refusal refusal) throws IOException {
        response.setStatus(refusal.code().httpStatus());
        response.setContentType("application/json");
        String body = Json.createObjectBuilder().add("code", refusal.code().word())
                .add("message", refusal.getMessage()).build().toString();
        response.getOutputStream().write(body.getBytes(StandardCharsets.UTF_8));
    }
}
