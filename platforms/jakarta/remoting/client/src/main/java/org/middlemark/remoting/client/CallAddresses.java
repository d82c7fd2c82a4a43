package org.middlemark.remoting.client;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.io.OutputStream;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.middlemark.refusals.Code;
import org.middlemark.refusals.Refusal;
import org.middlemark.remoting.client.proxies.Proxies;
import org.middlemark.remoting.client.proxies.Proxies.Lease;
import org.middlemark.remoting.domain.Operation;
import org.middlemark.remoting.domain.Protocol;
import org.middlemark.remoting.frames.FrameStream;
import org.middlemark.values.WholeNumber;

/** {@code /call/<protocol>/<operation>} and {@code /loop/<protocol>/<operation>}. */
final class CallAddresses {
    private static final String HASH = "Answer-Hash";
    private static final int METHOD_NOT_ALLOWED = 405;
    private static final int MAX_SECONDS = 60;
    private static final int MAX_CALLS = 1_000_000;
    /** The empty text, the word of the address, the protocol, the operation. */
    private static final int PARTS = 4;
    private static final Logger LOG = Logger.getLogger(CallAddresses.class.getName());

    private final Proxies proxies;
    private final Request standard = Request.standard();

    CallAddresses(Proxies proxies) {
        this.proxies = proxies;
    }

    /** The protocol and the operation that an address names. */
    private record Target(Protocol protocol, Operation operation) {
    }

    /** The target of an address; nothing for a protocol or an operation that is not offered. */
    private Optional<Target> target(HttpExchange exchange) {
        String[] parts = exchange.getRequestURI().getPath().split("/", -1);
        if (parts.length != PARTS) {
            return Optional.empty();
        }
        return Protocol.of(parts[PARTS - 2]).filter(proxies::offers).flatMap(
                protocol -> Operation.of(parts[PARTS - 1]).map(operation -> new Target(protocol, operation)));
    }

    /** One call. */
    void call(HttpExchange exchange) throws IOException {
        Optional<Target> target = target(exchange);
        if (target.isEmpty()) {
            Responses.notFound(exchange);
        } else if (!"POST".equals(exchange.getRequestMethod())) {
            exchange.sendResponseHeaders(METHOD_NOT_ALLOWED, -1);
        } else {
            call(exchange, target.get());
        }
    }

    private void call(HttpExchange exchange, Target target) throws IOException {
        byte[] body = exchange.getRequestBody().readNBytes(FrameStream.LONGEST + 1);
        Object answer;
        try (Lease lease = proxies.take(target.protocol())) {
            Request request = body.length == 0 ? standard : Request.of(target.operation(), body);
            answer = proxies.call(lease.proxy(), () -> request.call(target.operation(), lease.proxy()));
        } catch (Refusal refusal) {
            if (refusal.code().equals(Code.UNAVAILABLE) && refusal.getCause() != null) {
                LOG.log(Level.WARNING, "No answer of the service: {0}", refusal.getCause().toString());
            }
            Responses.refuse(exchange, refusal);
            return;
        }
        exchange.getResponseHeaders().set(HASH, Answers.hash(answer));
        Responses.send(exchange, Responses.OK, Responses.JSON, Answers.json(answer));
    }

    /** A loop. */
    void loop(HttpExchange exchange) throws IOException {
        Optional<Target> target = target(exchange);
        if (target.isEmpty()) {
            Responses.notFound(exchange);
        } else if (!"GET".equals(exchange.getRequestMethod())) {
            exchange.sendResponseHeaders(METHOD_NOT_ALLOWED, -1);
        } else {
            loop(exchange, target.get());
        }
    }

    private void loop(HttpExchange exchange, Target target) throws IOException {
        Loop.Extent extent;
        try {
            extent = extent(exchange.getRequestURI().getRawQuery());
        } catch (Refusal refusal) {
            Responses.refuse(exchange, refusal);
            return;
        }
        Loop loop = new Loop(proxies, target.protocol(), target.operation(), standard, extent);
        new Thread(loop, "loop").start();
        try {
            send(exchange, loop);
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
        } finally {
            loop.stop();
        }
    }

    private static void send(HttpExchange exchange, Loop loop) throws IOException, InterruptedException {
        loop.firstHash().join().ifPresent(hash -> exchange.getResponseHeaders().set(HASH, hash));
        exchange.getResponseHeaders().set("Content-Type", "application/octet-stream");
        exchange.sendResponseHeaders(Responses.OK, 0);
        OutputStream body = exchange.getResponseBody();
        Optional<byte[]> records = loop.records().next();
        while (records.isPresent()) {
            body.write(records.get());
            body.flush();
            records = loop.records().next();
        }
    }

    /** Either {@code seconds} or {@code calls}. */
    private static Loop.Extent extent(String query) {
        Map<String, String> values = new HashMap<>();
        for (String pair : query == null ? new String[0] : query.split("&")) {
            String[] parts = pair.split("=", 2);
            values.put(parts[0], parts.length > 1 ? parts[1] : "");
        }
        if (values.containsKey("seconds") == values.containsKey("calls")) {
            throw Refusal.invalid("Either seconds or calls is needed.");
        }
        return values.containsKey("seconds")
                ? Loop.Extent.ofSeconds(number("seconds", values.get("seconds"), MAX_SECONDS))
                : Loop.Extent.ofCalls(number("calls", values.get("calls"), MAX_CALLS));
    }

    private static int number(String name, String text, int most) {
        long number = WholeNumber.typed(text).orElse(0);
        if (number < 1 || number > most) {
            throw Refusal.invalid(name + " is outside of 1 to " + most + ".");
        }
        return (int) number;
    }
}
