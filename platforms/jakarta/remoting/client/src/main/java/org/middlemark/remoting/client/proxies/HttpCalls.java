package org.middlemark.remoting.client.proxies;

import jakarta.json.JsonException;
import jakarta.json.bind.Jsonb;
import jakarta.json.bind.JsonbException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import javax.net.ssl.SSLParameters;
import org.middlemark.calls.Calls;
import org.middlemark.refusals.Refusal;
import org.middlemark.remoting.domain.Codes;
import org.middlemark.remoting.domain.Unreadable;
import org.middlemark.remoting.json.JsonMessages.Failure;
import org.middlemark.remoting.json.JsonText;
import org.middlemark.remoting.tls.Identity;

/** Calls by POST over HTTP/1.1; its client keeps one connection, as it has one call at a time. */
final class HttpCalls {
    private static final int OK = 200;
    /** Statuses that blame the request: a server cannot read it, or has a limit of its own. */
    private static final Set<Integer> BLAMING = Set.of(400, 413);
    private static final Jsonb FAILURES = JsonText.ofAnswers();

    private final HttpClient client;
    private final URI service;
    private final Credential credential;
    private final boolean isShared;

    HttpCalls(URI service, Credential credential, boolean isShared) {
        this.service = service;
        this.credential = credential;
        this.isShared = isShared;
        HttpClient.Builder builder = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(Calls.LONGEST_CONNECT);
        credential.identity().ifPresent(identity -> builder.sslContext(identity.context())
                .sslParameters(new SSLParameters(null, Identity.versions())));
        client = builder.build();
    }

    /** The body of the answer to a body. */
    byte[] post(String path, String type, byte[] body) {
        HttpRequest.Builder request = HttpRequest.newBuilder(service.resolve(path))
                .timeout(FrameConnection.LONGEST_ANSWER).header("Content-Type", type)
                .POST(BodyPublishers.ofByteArray(body));
        if (!credential.authorization().isEmpty()) {
            request.header("Authorization", credential.authorization());
        }
        if (!isShared) {
            request.header("Connection", "close");
        }
        try {
            HttpResponse<byte[]> response = client.send(request.build(), BodyHandlers.ofByteArray());
            if (response.statusCode() != OK) {
                throw refusal(response);
            }
            return response.body();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("the call was interrupted", stopping);
        }
    }

    private static RuntimeException refusal(HttpResponse<byte[]> response) {
        Failure failure = failure(response.body());
        return failure == null || failure.code() == null ? withoutCode(response.statusCode())
                : Codes.received(failure.code(), failure.message());
    }

    private static Failure failure(byte[] body) {
        try {
            return FAILURES.fromJson(new String(body, StandardCharsets.UTF_8), Failure.class);
        } catch (JsonException | JsonbException unreadable) {
            return null;
        }
    }

    /** The failure of a call whose answer has this status and no code. */
    static RuntimeException withoutCode(int status) {
        return BLAMING.contains(status) ? Refusal.invalid("The service cannot read the request.")
                : new Unreadable("HTTP status " + status + " without an error of the service.");
    }
}
